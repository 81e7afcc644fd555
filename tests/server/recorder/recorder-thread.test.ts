import path from 'node:path';
import { expect, it } from 'vitest';
import { RecorderThread } from '@/server/recorder/recorder-thread';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

it('a thread that ends fails what waits for it, and the next call starts another', async () => {
  const thread = new RecorderThread(path.join(tempDataDir(), 'recording.sqlite'));
  const waiting = expect(thread.call('totals')).rejects.toThrow("the recorder's thread ended");
  await thread.abandon();
  await waiting;
  expect(await thread.call('totals')).toMatchObject({ observations: 0, newestSeq: 0 });
  await thread.close();
});
