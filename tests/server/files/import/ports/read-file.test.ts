import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileMessage } from '@/server/files/import/file-messages';
import { readFileMessages, type Upload } from '@/server/files/import/read-file';
import { unpackFile, unzstd } from '@/server/files/import/unpack-file';

/** A zstd frame (RFC 8878) of raw blocks: nothing is smaller for it, and every reader takes it. */
function asZstd(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  // Single segment, four bytes of size.
  header[4] = 0b1010_0000;
  header.writeUInt32LE(bytes.length, 5);
  const parts = [header];
  const blockBytes = 64 * 1024;
  for (let at = 0; at === 0 || at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    const isLast = at + blockBytes >= bytes.length;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-read-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

async function readFrom(
  file: string | Upload,
  signal = new AbortController().signal,
): Promise<FileMessage[]> {
  const news: FileMessage[] = [];
  const name = path.join(folder, `${++files}`);
  const data = {
    file,
    uploadFile: `${name}.upload`,
    unpackedFile: `${name}.unpacked`,
    redactionKey: Buffer.from('tests'),
    now: Date.UTC(2026, 5),
  };
  for await (const each of readFileMessages({ ...data, signal })) news.push(each);
  return news;
}

function read(content: string | Uint8Array, signal?: AbortSignal): Promise<FileMessage[]> {
  const file = path.join(folder, `${++files}`);
  writeFileSync(file, content);
  return readFrom(file, signal);
}

/** An upload in chunks of `atOnce` bytes. */
function upload(content: Uint8Array, atOnce: number, isAnnounced = true) {
  const reported = { received: 0 };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += atOnce)
      yield Uint8Array.from(content.subarray(at, at + atOnce));
  }
  const file: Upload = {
    chunks: chunks(),
    sizeBytes: isAnnounced ? content.length : null,
    onReceived: (sizeBytes) => {
      reported.received = sizeBytes;
    },
  };
  return { reported, news: readFrom(file) };
}

function namesOf(news: readonly FileMessage[]): string[] {
  return news.flatMap((each) => (each.kind === 'batch' ? each.rows.map(({ name }) => name) : []));
}

function problemsOf(news: readonly FileMessage[]): string[] {
  return news.flatMap((each) =>
    each.kind === 'batch' ? each.problems.map(({ place, reason }) => `${place}: ${reason}`) : [],
  );
}

async function reasonOf(content: string | Uint8Array): Promise<string> {
  const unknown = (await read(content)).find((each) => each.kind === 'unknown');
  return unknown?.kind === 'unknown' ? unknown.reason : '';
}

const type = (name: string): string => `type.googleapis.com/envoy.${name}`;
const cluster = (name: string) => ({
  '@type': type('config.cluster.v3.Cluster'),
  name,
  connect_timeout: '1s',
});
const dump = {
  configs: [
    {
      '@type': type('admin.v3.ClustersConfigDump'),
      dynamic_active_clusters: [
        { version_info: '1', cluster: cluster('a'), last_updated: '2026-01-02T03:04:05.678Z' },
        { version_info: '1', cluster: cluster('b'), last_updated: '2099-01-01T00:00:00Z' },
      ],
    },
  ],
};

describe('a file, read in a thread of its own', () => {
  it('reports its kind, its newest plausible time, and its rows', async () => {
    const news = await read(JSON.stringify(dump));
    expect(news.find(({ kind }) => kind === 'begin')).toMatchObject({
      what: 'Envoy config dump, JSON',
      at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      reports: [{ side: 'client' }],
    });
    expect(namesOf(news)).toEqual(['a', 'b']);
    expect(news.at(-1)).toEqual({ kind: 'end' });
  });

  it('may be packed with gzip, zstd, or both', async () => {
    const json = JSON.stringify(dump);
    for (const packed of [gzipSync(json), asZstd(json), gzipSync(asZstd(json))]) {
      expect(namesOf(await read(packed))).toEqual(['a', 'b']);
    }
  });

  it('is read up to the end of a truncated gzip, which is reported', async () => {
    const many = {
      configs: [
        {
          dynamic_active_clusters: Array.from({ length: 3_000 }, (_, i) => ({
            cluster: cluster(`c${i * 7919}`),
          })),
        },
      ],
    };
    const packed = gzipSync(JSON.stringify(many));
    const news = await read(packed.subarray(0, packed.length / 2));
    expect(namesOf(news).length).toBeGreaterThan(500);
    expect(problemsOf(news)).toEqual([
      expect.stringMatching(/^: the gzip breaks off after \d+ unpacked bytes: unexpected end of file$/),
      expect.stringMatching(/^: the JSON is truncated: it ends in the middle/),
    ]);
  });

  it('is not unpacked beyond the limit', async () => {
    const member = gzipSync(Buffer.alloc(1024 * 1024));
    const bomb = path.join(folder, 'bomb');
    writeFileSync(bomb, Buffer.concat(Array.from({ length: 9 }, () => member)));
    const unpacking = unpackFile(bomb, `${bomb}.unpacked`, () => undefined, 8 * 1024 * 1024);
    await expect(unpacking).rejects.toThrow(
      /^expected at most 8388608 bytes once unpacked .*, got at least /,
    );
  });

  it('is not unpacked beyond 200 times its size, however often it is packed', async () => {
    const once = gzipSync(Buffer.alloc(11 * 1024 * 1024, ' '));
    for (const bomb of [once, gzipSync(once), asZstd(once)]) {
      expect(await reasonOf(bomb)).toMatch(
        `expected at most 10485760 bytes once unpacked (${bomb.length} packed bytes, of which each may stand for 200), got at least `,
      );
    }
  });

  it('is packed at most twice', async () => {
    const thrice = gzipSync(gzipSync(gzipSync('{}')));
    expect(await reasonOf(thrice)).toBe(
      'expected a file that is packed at most 2 times, got gzip of gzip of gzip',
    );
  });

  it('is unpacked from zstd in small steps', async () => {
    // 5,000 blocks of one repeated byte, which expand to 640 MB.
    const block = Buffer.from([0x02, 0x00, 0x10, 0x00]);
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
    const bomb = Buffer.concat([header, ...Array.from({ length: 5_000 }, () => block)]);
    async function* packed(): AsyncGenerator<Uint8Array> {
      yield bomb;
    }
    const before = process.memoryUsage().arrayBuffers;
    const pieces = unzstd(packed());
    const { value } = await pieces.next();
    expect(value?.length).toBe(128 * 1024);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 1024 * 1024);
    await pieces.return(undefined);
  });

  it('is named with a hint if it is of another kind', async () => {
    const zip = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), Buffer.alloc(200, 0xfe)]);
    expect(await reasonOf(zip)).toBe(
      'expected a dump, a CSDS answer, xDS resources, a bootstrap or a recording, got a zip archive: unpack it, and import its files',
    );
    const tar = Buffer.concat([Buffer.alloc(257, 0xfe), Buffer.from('ustar'), Buffer.alloc(250, 0xfe)]);
    expect(await reasonOf(gzipSync(tar))).toMatch(/, got a tar archive: unpack it/);
    expect(await reasonOf(Buffer.alloc(100, 0xfe))).toMatch(
      /, got 100 bytes that are neither text nor protobuf of any of them$/,
    );
  });

  it('is read element by element as large YAML, and an invalid element is reported', async () => {
    const filler = 'x'.repeat(20_000);
    const item = (index: number): string =>
      index === 7
        ? '  - version_info: "1"\n    cluster: *elsewhere\n'
        : `  - version_info: "1"\n    cluster:\n      "@type": ${type('config.cluster.v3.Cluster')}\n` +
          `      name: c${index}\n      alt_stat_name: |-\n        ${filler}\n`;
    const items = Array.from({ length: 500 }, (_, index) => item(index)).join('');
    const head = `configs:\n- "@type": ${type('admin.v3.ClustersConfigDump')}\n  dynamic_active_clusters:\n`;
    const news = await read(`${head}${items}`);
    expect(news.find((each) => each.kind === 'begin')).toMatchObject({ what: 'Envoy config dump, YAML' });
    expect(namesOf(news)).toHaveLength(499);
    expect(problemsOf(news)).toEqual([
      'configs[0].dynamic_active_clusters[7]: expected YAML, got no YAML: an alias without its anchor',
    ]);
  });

  it("may be of protobuf's text format in any size, and its errors have a place", async () => {
    const head = '# proto-message: envoy.service.discovery.v3.DiscoveryResponse\nversion_info: "1"\n';
    const item = (index: number): string =>
      `resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "c${index}" alt_stat_name: "${'x'.repeat(9_000)}" } }\n`;
    const items = Array.from({ length: 1_000 }, (_, index) => item(index)).join('');
    const news = await read(head + items);
    expect(news.find((each) => each.kind === 'begin')).toMatchObject({
      what: 'DiscoveryResponse, protobuf text',
    });
    expect(namesOf(news)).toHaveLength(1_000);
    expect(await reasonOf(`${head}${items}resources { [`)).toMatch(
      /; as protobuf's text format: it ends in the middle, from byte \d+ on$/,
    );
  });

  it('is rejected in one line if it is of no known kind', async () => {
    expect(await reasonOf('')).toBe('expected a file, got an empty one');
    expect(await reasonOf('   \n')).toBe('expected a document, got nothing');
    expect(await reasonOf('{"a": 1}')).toBe(
      'expected a document with xDS resources in it, got an object with a',
    );
    expect(await reasonOf('just words')).toMatch(/^expected JSON, YAML, protobuf text or protobuf/);
    expect(await reasonOf(Buffer.from([0x1f, 0x8b, 1, 2]))).toMatch(/^expected gzip, got something else/);
    expect(await reasonOf(Buffer.from([1, 2, 3]))).toMatch(/got 3 bytes that are neither text nor protobuf/);
  });

  it('is read while it arrives, with the same result for any chunks', async () => {
    const json = Buffer.from(JSON.stringify(dump, null, 1));
    const whole = await read(json);
    for (const [atOnce, isAnnounced] of [
      [1, true],
      [7, false],
      [100, true],
      [json.length, false],
    ] as const) {
      const { reported, news } = upload(json, atOnce, isAnnounced);
      const seen = (await news).filter(({ kind }) => kind !== 'progress');
      expect(seen).toEqual(whole.filter(({ kind }) => kind !== 'progress'));
      expect(reported.received).toBe(json.length);
    }
  });

  it('may be an upload that is packed, empty, truncated, or larger than announced', async () => {
    const json = Buffer.from(JSON.stringify(dump));
    expect(namesOf(await upload(gzipSync(json), 50).news)).toEqual(['a', 'b']);
    expect(await upload(Buffer.alloc(0), 1).news).toEqual([
      { kind: 'unknown', reason: 'expected a file, got an empty one' },
    ]);
    expect(problemsOf(await upload(json.subarray(0, -20), 64).news)).toEqual([
      expect.stringMatching(/^: the JSON is truncated: it ends in the middle/),
    ]);
    const padded = Buffer.concat([Buffer.alloc(150_000_000, ' '), json]);
    expect(namesOf(await upload(padded, 1_000_000, true).news)).toEqual(['a', 'b']);
  });

  it('fails with its upload, and ends the thread that waits for more', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"configs": [');
      throw new Error('the connection is gone');
    }
    const file = { chunks: broken(), sizeBytes: 1_000, onReceived: () => undefined };
    await expect(readFrom(file)).rejects.toThrow('the connection is gone');
    const canceled = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"configs": [');
      setImmediate(() => canceled.abort());
      await new Promise(() => undefined);
    }
    const waiting = { chunks: endless(), sizeBytes: 1_000, onReceived: () => undefined };
    await expect(readFrom(waiting, canceled.signal)).rejects.toThrow('the import was canceled');
  });

  it('ends its thread when it is canceled', async () => {
    const canceled = new AbortController();
    canceled.abort();
    await expect(read(JSON.stringify(dump), canceled.signal)).rejects.toThrow('the import was canceled');
  });
});
