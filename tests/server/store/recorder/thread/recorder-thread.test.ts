import path from 'node:path';
import { expect, it } from 'vitest';
import { builtProgram } from '@/server/project-root';
import { RecorderThread } from '@/server/store/recorder/thread/recorder-thread';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { workerProgram } from '@/tests/support/worker-program';

it('calls of a thread that ends fail, and the next call starts another thread', async () => {
  const program = workerProgram(`
    await import(${JSON.stringify(builtProgram('recorder-worker'))});
    const post = parentPort.postMessage.bind(parentPort);
    // Only the answer to readPins is a list here.
    parentPort.postMessage = (answer) => (Array.isArray(answer.output) ? process.exit(3) : post(answer));`);
  const thread = new RecorderThread(path.join(tempDataDir(), 'recording.sqlite'), program);
  expect(await thread.call('totals')).toMatchObject({ observations: 0, newestSeq: 0 });
  await expect(thread.call('readPins')).rejects.toMatchObject({
    code: 'THREAD_ENDED',
    message: 'recording failed: the worker ended with exit code 3',
  });
  expect(await thread.call('totals')).toMatchObject({ observations: 0, newestSeq: 0 });
  await thread.close();
  await expect(thread.call('totals')).rejects.toThrow('the recorder is closed');
});

it('a cancelled read is not executed', async () => {
  const thread = new RecorderThread(path.join(tempDataDir(), 'recording.sqlite'));
  const reader = new AbortController();
  const reads = Array.from({ length: 5 }, () => thread.run('readPins', [], reader));
  const others = thread.call('totals');
  reader.abort(new Error('left'));
  for (const read of reads) await expect(read).rejects.toThrow('left');
  expect(await others).toMatchObject({ observations: 0 });
  await thread.close();
});
