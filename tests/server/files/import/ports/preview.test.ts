import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileMessage } from '@/server/files/import/file-messages';
import { readFileMessages } from '@/server/files/import/read-file';
import { makeConfigDump } from '@/tests/support/builders/big-dump';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-preview-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dump = [...makeConfigDump({ clusters: 1_000, routes: 20, routesPerConfig: 10, endpoints: 1_000 })].join(
  '',
);
const half = 3 * 1024 * 1024;

/** The rest of the file follows the preview, or `mostMs` if there is none. */
async function readSlowly(text: string, mostMs = 1_000): Promise<FileMessage[]> {
  const bytes = Buffer.from(text);
  let goOn = (): void => undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.from(bytes.subarray(0, half));
    await new Promise<void>((resolve) => {
      goOn = resolve;
      setTimeout(resolve, mostMs);
    });
    yield Uint8Array.from(bytes.subarray(half));
  }
  const news: FileMessage[] = [];
  const all = readFileMessages({
    file: { chunks: chunks(), sizeBytes: bytes.length, onReceived: () => undefined },
    uploadFile: path.join(folder, 'upload'),
    unpackedFile: path.join(folder, 'unpacked'),
    redactionKey: Buffer.from('tests'),
    now: Date.UTC(2026, 5),
    signal: new AbortController().signal,
  });
  for await (const each of all) {
    news.push(each);
    if (each.kind === 'preview') goOn();
  }
  return news;
}

describe('the preview of a file that is still arriving', () => {
  it('names the client as the rest of the file does, and is in a batch again', async () => {
    // The rest waits for the preview.
    const news = await readSlowly(dump, 200_000);
    const [early] = news;
    const begin = news.find((each) => each.kind === 'begin');
    if (early?.kind !== 'preview' || begin?.kind !== 'begin') throw new Error('expected both to be reported');
    expect(early.rows.map(({ typeUrl }) => typeUrl.split('.').at(-1))).toEqual([
      ...Array(39).fill('Cluster'),
      'Bootstrap',
    ]);
    expect(early.bodies.entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeGreaterThan(1_000);
    expect(early.report).toEqual(begin.reports[0]);
    expect(early.report.node.id).toMatch(/gateway-0/);
    // The time of the preview is not later than that of the whole file.
    expect(early.at).toBeLessThanOrEqual(begin.at ?? 0);
    const rows = news.flatMap((each) => (each.kind === 'batch' ? each.rows : []));
    for (const row of early.rows) expect(rows).toContainEqual(row);
    expect(news.filter(({ kind }) => kind === 'preview')).toHaveLength(1);
  });

  it('is not sent without a node id or a time', async () => {
    const nameless = dump.replace(/"id": "router[^"]*",/, '');
    expect((await readSlowly(nameless)).filter(({ kind }) => kind === 'preview')).toEqual([]);
    const timeless = dump.replaceAll('last_updated', 'never_updated');
    expect((await readSlowly(timeless)).filter(({ kind }) => kind === 'preview')).toEqual([]);
  });
});
