import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileTooLarge } from '@/server/files/import/import-errors';
import { receiveParts, within } from '@/server/files/import/receive-file';

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

describe('an upload of several files', () => {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'xdscope-parts-'));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  let folders = 0;
  const receive = async (texts: readonly string[], sizes: readonly number[]) => {
    const parts = sizes.map((sizeBytes, index) => ({ name: `file-${index}`, sizeBytes }));
    async function* chunks() {
      for (const text of texts) yield Buffer.from(text);
    }
    folders += 1;
    const paths = await receiveParts(path.join(parent, String(folders)), chunks(), parts);
    return paths.map((file) => `${path.basename(file)}: ${readFileSync(file, 'utf8')}`);
  };

  it.each([
    ['within a chunk', ['abcdef'], [2, 4], ['file-0: ab', 'file-1: cdef']],
    ['over chunks', ['abc', 'de', 'f'], [1, 3, 2], ['file-0: a', 'file-1: bcd', 'file-2: ef']],
    ['with an empty one', ['ab'], [0, 2], ['file-0: ', 'file-1: ab']],
  ])('is separated %s', async (_title, texts, sizes, expected) => {
    expect(await receive(texts, sizes)).toEqual(expected);
  });

  it('is rejected if the sizes do not add up to it', async () => {
    await expect(receive(['abc'], [1, 1])).rejects.toThrow('expected 2 bytes in 2 parts, got more');
    await expect(receive(['abc'], [2, 2])).rejects.toThrow('expected 4 bytes in 2 parts, got 3');
  });
});
