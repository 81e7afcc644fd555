import { describe, expect, it } from 'vitest';
import { FileTooLarge } from '@/server/files/import/import-errors';
import { within } from '@/server/files/import/receive-file';

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('12345');
  throw new Error('aborted');
}

async function readAll(chunks: AsyncIterable<Uint8Array>, maxBytes: number, signal: AbortSignal) {
  const sizes: number[] = [];
  for await (const _ of within(chunks, { maxBytes, signal, onBytes: (size) => sizes.push(size) }));
  return sizes;
}

describe('an upload within its limits', () => {
  it('reports the number of bytes before it broke off', async () => {
    const { signal } = new AbortController();
    await expect(readAll(broken(), 10, signal)).rejects.toThrow(
      'the upload broke off after 5 bytes: aborted',
    );
  });

  it('throws an error if it is too large or canceled', async () => {
    const controller = new AbortController();
    await expect(readAll(broken(), 4, controller.signal)).rejects.toThrow(FileTooLarge);
    controller.abort(new Error('the import was canceled'));
    await expect(readAll(broken(), 10, controller.signal)).rejects.toThrow('the import was canceled');
  });
});
