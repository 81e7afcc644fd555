import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readRecording } from '@/server/files/import/read-recording';
import type { FileRecord, ReadRecord } from '@/server/files/xdscope-format/file-record';
import { makeDay } from '@/tests/support/builders/make-day';
import { fileOf, recordsOf } from '@/tests/support/builders/xdscope-files';

const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-read-recording-'));
const redactionKey = Buffer.from('key of the tests');
afterAll(() => rmSync(dir, { recursive: true }));

function* dayRecords(): Generator<FileRecord> {
  const day = { startAt: 1e12, clients: 5, largeClients: 1, manyServices: 300, seed: 1 };
  let seq = 0;
  for (const batch of makeDay({ ...day, observations: 2_000 }, { wire: 0, delta: 0 })) {
    yield { kind: 'bodies', bodies: batch.flatMap(({ bodies }) => bodies) };
    const observations = batch.map(({ observation }) => ({ ...observation, seq: ++seq }));
    yield { kind: 'observations', observations };
  }
}

function saved(content: Uint8Array): string {
  const file = path.join(dir, 'file.xdscope');
  writeFileSync(file, content);
  return file;
}

const readFrom = (file: string) =>
  readRecording(
    { file, redactionKey, maxInflatedBytes: Number.POSITIVE_INFINITY },
    new AbortController().signal,
  );

async function all(records: AsyncIterable<ReadRecord>): Promise<ReadRecord[]> {
  const read: ReadRecord[] = [];
  for await (const record of records) read.push(record);
  return read;
}

/** Joins records, whose parts may differ. */
function itemsOf(records: readonly ReadRecord[]): unknown[] {
  return records.flatMap((record): unknown[] => {
    if (record.kind === 'observations') return [...record.observations];
    if (record.kind !== 'bodies') return [record];
    return record.bodies.map((body) => ({ ...body, bytes: Buffer.from(body.bytes).toString('hex') }));
  });
}

describe('readRecording', () => {
  it('yields the records of a file from another thread in small parts', async () => {
    const content = await fileOf(dayRecords());
    const read = await all(readFrom(saved(content)));
    expect(itemsOf(read)).toEqual(itemsOf(await recordsOf(content)));
    const largest = read.map((record) => (record.kind === 'observations' ? record.observations.length : 0));
    expect(Math.max(...largest)).toBeLessThanOrEqual(50);
  });

  it('throws the errors of readXdscopeFile()', async () => {
    await expect(all(readFrom(saved(Buffer.from('something else'))))).rejects.toMatchObject({
      name: 'XdscopeFileError',
      code: 'NOT_A_RECORDING',
      message: expect.stringContaining('expected an .xdscope file'),
    });
    await expect(all(readFrom(path.join(dir, 'none')))).rejects.toThrow(/ENOENT/);
  });

  it('ends its thread when the caller stops', async () => {
    const file = saved(await fileOf(dayRecords()));
    for await (const record of readFrom(file)) {
      expect(record.kind).toBe('bodies');
      break;
    }
  });
});
