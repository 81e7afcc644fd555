import { describe, expect, it } from 'vitest';
import { SharedWork } from '@/server/workers/shared-work';

function begin() {
  const work = new SharedWork<string>();
  const begun: { readonly signal: AbortSignal; readonly finish: (value: string) => void }[] = [];
  const run = (signal?: AbortSignal) =>
    work.run('client a', signal, (stop) => {
      return new Promise((resolve, reject) => {
        stop.addEventListener('abort', () => reject(stop.reason));
        begun.push({ signal: stop, finish: resolve });
      });
    });
  return { begun, run };
}

describe('SharedWork', () => {
  it('is done once for all readers that wait for it, and again for later ones', async () => {
    const { begun, run } = begin();
    const readers = [run(), run()];
    begun[0]?.finish('rows');
    expect(await Promise.all(readers)).toEqual(['rows', 'rows']);
    const later = run();
    begun[1]?.finish('new rows');
    expect(await later).toBe('new rows');
  });

  it('goes on while one of its readers stays', async () => {
    const { begun, run } = begin();
    const [first, second] = [new AbortController(), new AbortController()];
    const readers = [run(first.signal), run(second.signal)];
    first.abort(new Error('left'));
    await expect(readers[0]).rejects.toThrow('left');
    begun[0]?.finish('rows');
    expect(await readers[1]).toBe('rows');
  });

  it('is aborted when its last reader leaves, and begins again for the next', async () => {
    const { begun, run } = begin();
    const [first, second] = [new AbortController(), new AbortController()];
    const readers = [run(first.signal), run(second.signal)];
    for (const reader of [first, second]) reader.abort(new Error('left'));
    for (const reader of readers) await expect(reader).rejects.toThrow('left');
    expect(begun[0]?.signal.aborted).toBe(true);
    const next = run();
    begun[1]?.finish('rows');
    expect(await next).toBe('rows');
  });

  it('is not aborted while a reader without a signal waits', async () => {
    const { begun, run } = begin();
    const reader = new AbortController();
    const readers = [run(), run(reader.signal)];
    reader.abort(new Error('left'));
    await expect(readers[1]).rejects.toThrow('left');
    begun[0]?.finish('rows');
    expect(await readers[0]).toBe('rows');
  });
});
