import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { newPermalinkId } from '@/server/store/recorder/recorder';
import {
  bodyOf,
  clientStateOf,
  clusterType,
  emissionOf,
  resourceOf,
} from '@/tests/support/builders/recorder-emissions';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

/** The condition is met within milliseconds, or within seconds on a busy machine. */
const patient = { timeout: patienceMs(60_000) };

const retention = { maxAgeMs: 86_400_000, maxBytes: 1e9 };

async function start(dataDir: string): Promise<Recorder> {
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
  onTestFinished(() => recorder.close());
  return recorder;
}

async function everything(recorder: Recorder, afterSeq = 0) {
  return (await pagesOf(recorder, afterSeq)).flat();
}

async function pagesOf(recorder: Recorder, afterSeq: number): Promise<Recorded[][]> {
  const pages: Recorded[][] = [];
  for await (const page of recorder.replayAfter(afterSeq)) pages.push(page);
  return pages;
}

describe('openRecorder', () => {
  it('numbers observations from 1 on, and continues after a restart', async () => {
    const dataDir = tempDataDir();
    const first = await start(dataDir);
    expect([first.append(emissionOf(1, 'a')), first.append(emissionOf(2, 'b'))]).toEqual([1, 2]);
    expect(await first.flushed()).toBe(2);
    await first.close();

    const second = await start(dataDir);
    expect(second.append(emissionOf(3, 'c'))).toBe(3);
    await second.flushed();
    expect((await everything(second)).map(({ seq, at }) => [seq, at])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('returns an observation as it was appended, whatever characters its names contain', async () => {
    const recorder = await start(tempDataDir());
    const { observation } = emissionOf(
      7,
      null,
      'client-a',
      'nul \u0000 lone \ud800 quote " line \n\u2028 é 🎈',
    );
    recorder.append({ observation, bodies: [] });
    await recorder.flushed();
    expect(await everything(recorder)).toEqual([{ ...observation, seq: 1 }]);
  });

  it('writes 50 ms after an append without being asked', async () => {
    const dataDir = tempDataDir();
    const clock = new ManualClock();
    const recorder = await openRecorder({ dataDir, clock, retention });
    onTestFinished(() => recorder.close());
    recorder.append(emissionOf(1, 'a'));
    expect(recorder.stats().newestSeq).toBe(0);
    clock.advance(50);
    await expect.poll(() => recorder.stats().newestSeq, patient).toBe(1);
  });

  it('rejects a data dir that another recorder holds, naming its process', async () => {
    const dataDir = tempDataDir();
    await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(
      `data dir ${dataDir} is in use by another xdscope (process ${process.pid})`,
    );
  });

  it('leaves one file when it is closed, and can be opened again', async () => {
    const dataDir = tempDataDir();
    const recorder = await start(dataDir);
    recorder.append(emissionOf(1, 'a'));
    await recorder.close();
    expect(readdirSync(dataDir).sort()).toEqual(['recorder.lock', 'recording.sqlite']);
    expect((await start(dataDir)).stats().observations).toBe(1);
  });

  it.each([
    ['of a later version', 'UPDATE store_version SET version = 99', 'got version 99'],
    ['with another schema version', 'PRAGMA user_version = 5', 'expected schema version 0, got 5'],
    ['without a table', 'DROP TABLE terms', 'expected a table terms, found none'],
  ])('rejects a recording %s, names the remedy and leaves the file as it is', async (_, change, message) => {
    const dataDir = tempDataDir();
    await (await start(dataDir)).close();
    const file = path.join(dataDir, 'recording.sqlite');
    const sql = new Database(file);
    sql.exec(change);
    sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    sql.close();
    const before = readFileSync(file);
    for (const part of [file, message, 'start with --set-aside-damaged']) {
      await expect(start(dataDir)).rejects.toThrow(part);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['another SQLite file', 'expected a recording of xdscope'],
    ['no SQLite file', 'file is not a database'],
  ])('rejects %s under its name', async (what, message) => {
    const dataDir = tempDataDir();
    const file = path.join(dataDir, 'recording.sqlite');
    if (what === 'no SQLite file') {
      writeFileSync(file, 'x'.repeat(5000));
    } else {
      const sql = new Database(file);
      sql.exec('CREATE TABLE other (x)');
      sql.close();
    }
    await expect(start(dataDir)).rejects.toThrow(message);
  });

  it('rejects a data directory that is a file with an error of one line', async () => {
    const file = path.join(tempDataDir(), 'a-file');
    writeFileSync(file, '');
    await expect(start(file)).rejects.toThrow(
      /^data dir .*a-file: expected a directory that can be written, got: .*$/,
    );
  });

  it.each(['a/b', 'with space', 'file:x', 'a?b=c&d', '100%25', '#é🎈', "quote'"])(
    'creates a missing data directory whatever its name is (%s)',
    async (name) => {
      const dataDir = path.join(tempDataDir(), name);
      const recorder = await start(dataDir);
      recorder.append(emissionOf(1, 'a'));
      await recorder.flushed();
      expect(existsSync(path.join(dataDir, 'recording.sqlite'))).toBe(true);
    },
  );
});

describe('bodies', () => {
  it('can be read before and after they are written', async () => {
    const recorder = await start(tempDataDir());
    const body = bodyOf('pending');
    recorder.append(emissionOf(1, 'pending'));
    expect(await recorder.readBody(body.hash)).toEqual(body);
    await recorder.flushed();
    expect(await recorder.readBody(body.hash)).toEqual(body);
    expect(await recorder.readBody(body.hash, clusterType)).toEqual(body);
    expect(await recorder.readBody(body.hash, 'other')).toBeUndefined();
    expect(await recorder.readBody('0'.repeat(64))).toBeUndefined();
  });

  it('are stored once, however often they are emitted', async () => {
    const dataDir = tempDataDir();
    const first = await start(dataDir);
    for (let at = 0; at < 50; at++) first.append(emissionOf(at, 'same'));
    await first.close();
    const second = await start(dataDir);
    second.append(emissionOf(99, 'same'));
    await second.flushed();
    expect(second.stats()).toMatchObject({ observations: 51, bodies: 1 });
  });

  it('are stored under every type URL that they were emitted with, hostile ones included', async () => {
    const recorder = await start(tempDataDir());
    const { observation } = emissionOf(1, 'same');
    const bodies = ['a', 'b', 'nul \u0000 x', ''].map((typeUrl) => bodyOf('same', typeUrl));
    recorder.append({ observation, bodies });
    await recorder.flushed();
    for (const body of bodies) expect(await recorder.readBody(body.hash, body.typeUrl)).toEqual(body);
  });

  it('are returned byte for byte: empty, of one byte, of 16 MiB, and a view of a larger buffer', async () => {
    const recorder = await start(tempDataDir());
    const message = new Uint8Array(1000).map((_, index) => index % 256);
    const contents = [
      new Uint8Array(0),
      new Uint8Array([7]),
      new Uint8Array(16 * 1024 * 1024).map((_, index) => (index * 31) % 251),
      message.subarray(100, 700),
    ];
    const bodies = contents.map((content) => bodyOf(content));
    recorder.append({ ...emissionOf(1, null), bodies });
    await recorder.flushed();
    const found = await recorder.readBodies(bodies.map(({ hash }) => hash));
    expect(found.size).toBe(4);
    for (const { hash, bytes } of bodies) {
      expect(Buffer.compare(found.get(hash)?.bytes ?? new Uint8Array([1, 2, 3]), bytes)).toBe(0);
    }
  });

  it('are returned by readBodies() whether pending or stored, and unknown ones are left out', async () => {
    const recorder = await start(tempDataDir());
    recorder.append(emissionOf(1, 'stored'));
    await recorder.flushed();
    recorder.append(emissionOf(2, 'pending'));
    const hashes = [bodyOf('stored').hash, bodyOf('pending').hash, 'unknown'];
    expect([...(await recorder.readBodies(hashes)).keys()].sort()).toEqual(hashes.slice(0, 2).sort());
  });
});

describe('readObservations', () => {
  it('filters by client, kind and seq, in both directions', async () => {
    const recorder = await start(tempDataDir());
    for (let at = 1; at <= 20; at++) {
      recorder.append(
        at % 5 === 0
          ? { observation: { kind: 'source-up', at, vantage: 'csds', sourceId: 's' }, bodies: [] }
          : emissionOf(at, null, at % 2 === 0 ? 'even' : 'odd'),
      );
    }
    await recorder.flushed();
    const seqs = async (query: Parameters<Recorder['readObservations']>[0]) =>
      (await recorder.readObservations(query)).map(({ seq }) => seq);
    expect(await seqs({ limit: 3, order: 'desc' })).toEqual([20, 19, 18]);
    expect(await seqs({ limit: 3, order: 'asc', afterSeq: 5 })).toEqual([6, 7, 8]);
    expect(await seqs({ limit: 9, order: 'desc', clientId: 'even', beforeSeq: 8 })).toEqual([6, 4, 2]);
    expect(await seqs({ limit: 9, order: 'asc', kinds: ['source-up'] })).toEqual([5, 10, 15, 20]);
    expect(await seqs({ limit: 2, order: 'desc', kinds: ['source-up', 'client-gone'] })).toEqual([20, 15]);
    expect(await seqs({ limit: 9, order: 'asc', kinds: [] })).toEqual([]);
  });

  it('replays a log larger than one answer in pages, with nothing missing or repeated', async () => {
    const recorder = await start(tempDataDir());
    const large = 'n'.repeat(3 * 1024 * 1024);
    for (let at = 1; at <= 7; at++) recorder.append(emissionOf(at, null, 'c', `${large}${at}`));
    for (let at = 8; at <= 2500; at++) recorder.append(emissionOf(at, null));
    await recorder.flushed();
    const pages = await pagesOf(recorder, 1);
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.flat().map(({ seq }) => seq)).toEqual(Array.from({ length: 2499 }, (_, index) => index + 2));
  });
});

describe('checkpoints', () => {
  it('restore the fold after a restart, followed by the later log', async () => {
    const dataDir = tempDataDir();
    const first = await start(dataDir);
    for (let at = 1; at <= 4; at++) first.append(emissionOf(at, `${at}`));
    const clients = [
      clientStateOf('a', 3, [resourceOf('x'), resourceOf('y', { hash: bodyOf('1').hash })]),
      { ...clientStateOf('b', 2, []), reports: new Map() },
      clientStateOf('c', 2, []),
    ];
    const sources = [{ sourceId: 's', kind: 'istiod', target: 'a:1', lastAt: 5 } as const];
    await first.saveCheckpoint(3, clients, sources);
    await first.close();
    const second = await start(dataDir);
    expect(await second.loadCheckpoint()).toEqual({ seq: 3, clients, sources });
    expect((await everything(second, 3)).map(({ seq }) => seq)).toEqual([4]);
  });

  it('contain the state at the call, not later changes', async () => {
    const recorder = await start(tempDataDir());
    const many = Array.from({ length: 3000 }, (_, index) => resourceOf(`r${index}`));
    const client = clientStateOf('a', 1, many);
    const saved = recorder.saveCheckpoint(1, [client]);
    for (const report of client.reports.values()) report.resources.clear();
    client.seq = 9;
    await saved;
    const loaded = await recorder.loadCheckpoint();
    expect(loaded?.clients).toEqual([clientStateOf('a', 1, many)]);
  });

  it('replace each other, also when several are saved at once', async () => {
    const recorder = await start(tempDataDir());
    await Promise.all([1, 2, 3].map((seq) => recorder.saveCheckpoint(seq, [clientStateOf('a', seq, [])])));
    expect(await recorder.loadCheckpoint()).toMatchObject({ seq: 3, clients: [{ clientId: 'a', seq: 3 }] });
    expect(recorder.stats().checkpointSeq).toBe(3);
  });

  it('do not exist in a new recording', async () => {
    expect(await (await start(tempDataDir())).loadCheckpoint()).toBeUndefined();
  });
});

describe('permalinks', () => {
  it('are returned as they were saved, also after a restart', async () => {
    const dataDir = tempDataDir();
    const first = await start(dataDir);
    const id = newPermalinkId();
    const content = { view: { tab: 'graph' }, text: 'é \u0000'.repeat(1000) };
    await first.savePermalink({ id, createdAt: 5, content, hashes: [] });
    await first.close();
    const second = await start(dataDir);
    expect(await second.readPermalink(id)).toEqual({ id, createdAt: 5, content });
  });

  it.each(['', 'nobody', "'; DROP TABLE permalinks; --", '\u0000'])(
    'an unknown id (%j) is undefined',
    async (id) => {
      expect(await (await start(tempDataDir())).readPermalink(id)).toBeUndefined();
    },
  );

  it('have ids of 128 bits that need no escaping in a URL', () => {
    const ids = new Set(Array.from({ length: 1000 }, newPermalinkId));
    expect(ids.size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});
