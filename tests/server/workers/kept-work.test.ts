import { expect, it } from 'vitest';
import { KeptWork } from '@/server/workers/kept-work';

it('is done again after a failure, and not after a result', async () => {
  const kept = new KeptWork<number | null>(2);
  let done = 0;
  const succeed = async () => {
    done += 1;
    return null;
  };
  await expect(kept.run('a', undefined, () => Promise.reject(new Error('a defect')))).rejects.toThrow(
    'a defect',
  );
  expect(await kept.run('a', undefined, succeed)).toBeNull();
  expect(await kept.run('a', undefined, succeed)).toBeNull();
  expect(done).toBe(1);
});

it('keeps the result for the other callers if the first one leaves', async () => {
  const kept = new KeptWork<string>(2);
  const first = new AbortController();
  const work = async (signal: AbortSignal) => {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    return 'done';
  };
  const left = kept.run('a', first.signal, work);
  const stays = kept.run('a', new AbortController().signal, work);
  first.abort(new Error('the page was left'));
  await expect(left).rejects.toThrow('the page was left');
  expect(await stays).toBe('done');
});
