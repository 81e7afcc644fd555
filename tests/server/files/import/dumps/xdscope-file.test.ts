import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import { encodeBlock } from '@/server/files/xdscope-format/block-codec';
import type { FileHeader, FileRecord, ReadRecord } from '@/server/files/xdscope-format/file-record';
import { readXdscopeFile } from '@/server/files/xdscope-format/read-file';
import { XdscopeFileError } from '@/server/files/xdscope-format/xdscope-file-error';
import { sampleReport } from '@/tests/support/builders/observation-samples';
import { bodyOf } from '@/tests/support/builders/recorder-emissions';
import { damageOf, fileOf, inPieces, recordsOf } from '@/tests/support/builders/xdscope-files';
import { streamStory } from '@/tests/support/log-story';
import { runs } from '@/tests/support/runs';

const header: FileHeader = {
  madeBy: 'xdscope test',
  madeAt: 5,
  from: null,
  to: null,
  clients: [],
  clientsLeftOut: 0,
  redaction: '',
  notes: [],
};

function story(count: number): Recorded[] {
  return Array.from({ length: count }, (_, index): Recorded => {
    const [opened] = streamStory(index * 1_000);
    if (opened === undefined) throw new Error('no story');
    return { ...opened, seq: index + 1 };
  });
}

/** Random text, which cannot be compressed. */
function noise(sizeBytes: number, seed: number): Uint8Array {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < sizeBytes; at++)
    parts.push(createHash('sha256').update(`${seed} ${at}`).digest());
  return Buffer.concat(parts).subarray(0, sizeBytes);
}

/** Three blocks of observations, one of bodies, header and end. */
async function sampleFile(): Promise<Buffer> {
  return fileOf([
    { kind: 'header', header },
    { kind: 'bodies', bodies: [bodyOf(noise(1_000, 1))] },
    { kind: 'observations', observations: story(2_000) },
    { kind: 'gaps', gaps: [{ fromSeq: 3, toSeq: 4, fromAt: 1, toAt: 2, reason: 'no space' }] },
  ]);
}

function observationsOf(records: readonly ReadRecord[]): Recorded[] {
  return records.flatMap((record) => (record.kind === 'observations' ? record.observations : []));
}

async function failureOf(bytes: Buffer): Promise<XdscopeFileError> {
  const error = await recordsOf(bytes).catch((caught: unknown) => caught);
  if (error instanceof XdscopeFileError) return error;
  throw new Error(`expected an XdscopeFileError, got ${String(error)}`);
}

describe('an .xdscope file', () => {
  it('has the written records, for any size of the chunks', async () => {
    const stories = fc.array(fc.constantFrom(...streamStory(1_000), sampleReport({ previousAt: 1_500 })), {
      maxLength: 30,
    });
    const bodies = fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        stories,
        bodies,
        fc.integer({ min: 1, max: 5_000 }),
        async (reported, contents, piece) => {
          const observations = reported.map((each, index): Recorded => {
            const resources = [{ name: 'é\u0000"', hash: bodyOf('x').hash, sizeBytes: 1 }];
            const seen = each.kind === 'response-received' ? { ...each, resources } : each;
            return { ...seen, seq: index };
          });
          const records: FileRecord[] = [
            { kind: 'header', header },
            { kind: 'bodies', bodies: contents.map((bytes) => bodyOf(bytes)) },
            { kind: 'observations', observations },
          ];
          const read = await recordsOf(await fileOf(records), piece);
          expect(damageOf(read)).toEqual([]);
          expect(observationsOf(read)).toEqual(observations);
          const readBodies = read.flatMap((record) => (record.kind === 'bodies' ? record.bodies : []));
          expect(readBodies).toEqual(contents.map((bytes) => bodyOf(new Uint8Array(bytes))));
          expect(read.at(-1)).toMatchObject({
            kind: 'end',
            counts: { observations: observations.length, bodies: contents.length },
          });
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('is rejected with a reason if it is of another kind or version, or empty', async () => {
    const file = await sampleFile();
    expect(await failureOf(Buffer.from('{"configs":[]}'))).toMatchObject({
      code: 'NOT_A_RECORDING',
      message: expect.stringContaining('got 7b22636f6e666967'),
    });
    expect(await failureOf(Buffer.alloc(0))).toMatchObject({ code: 'EMPTY' });
    const newer = Buffer.from(file);
    newer.writeUInt16BE(7, 8);
    expect(await failureOf(newer)).toMatchObject({
      code: 'OTHER_VERSION',
      message: 'expected version 1 of the .xdscope format, got 7: another xdscope wrote it',
    });
  });

  it('that is truncated keeps its records, and reports the missing end', async () => {
    const file = await sampleFile();
    const records = await recordsOf(file.subarray(0, file.length - 30));
    expect(observationsOf(records)).toHaveLength(2_000);
    expect(damageOf(records).join()).toMatch(/cut/);
    const half = await recordsOf(file.subarray(0, Math.floor(file.length / 2)));
    expect(damageOf(half).join()).toMatch(/cut/);
  });

  it('detects a flipped bit at any place', async () => {
    const file = await sampleFile();
    const whole = observationsOf(await recordsOf(file));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: file.length - 1 }),
        fc.integer({ min: 0, max: 7 }),
        async (at, bit) => {
          const damaged = Buffer.from(file);
          damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
          const records = await recordsOf(damaged);
          expect(damageOf(records).length).toBeGreaterThan(0);
          const known = new Set(whole.map((each) => JSON.stringify(each)));
          for (const each of observationsOf(records)) expect(known.has(JSON.stringify(each))).toBe(true);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it('keeps all blocks but the damaged one', async () => {
    const file = await sampleFile();
    const blocks: number[] = [];
    for (let at = file.indexOf('XDSB'); at !== -1; at = file.indexOf('XDSB', at + 1)) blocks.push(at);
    const third = blocks[2] ?? 0;
    const damaged = Buffer.from(file);
    damaged[third + 40] = (damaged[third + 40] ?? 0) ^ 1;
    const records = await recordsOf(damaged);
    expect(damageOf(records)).toEqual([expect.stringContaining(`the block at byte ${third} is damaged`)]);
    expect(observationsOf(records).length).toBeGreaterThan(0);
    expect(observationsOf(records).length).toBeLessThan(2_000);
    expect(records.at(-1)).toMatchObject({ kind: 'end' });
  });

  it('is not inflated beyond its announced size and the limit', async () => {
    const start = (await sampleFile()).subarray(0, 10);
    const bomb = await encodeBlock('observations', Buffer.alloc(8 * 1024 * 1024));
    const lying = Buffer.from(bomb);
    lying.writeUInt32BE(100, 10);
    const sum = createHash('sha256').update(lying.subarray(4, 14)).update(lying.subarray(22)).digest();
    sum.copy(lying, 14, 0, 8);
    expect(damageOf(await recordsOf(Buffer.concat([start, lying])))[0]).toMatch(/observations at byte 10/);
    const records: ReadRecord[] = [];
    const bombs = Buffer.concat([start, bomb, bomb, bomb]);
    for await (const each of readXdscopeFile(inPieces(bombs), { maxInflatedBytes: 10_000_000 }))
      records.push(each);
    expect(damageOf(records).at(-1)).toMatch(/expected at most 10000000 bytes inflated/);
    expect(records.filter(({ kind }) => kind === 'observations')).toHaveLength(1);
  });

  it('with too many damaged blocks is not read further', async () => {
    const start = (await sampleFile()).subarray(0, 10);
    const junk = Buffer.concat(
      Array.from({ length: 5_000 }, () => Buffer.from('XDSBjunk-junk-junk-junk-junk')),
    );
    const records = await recordsOf(Buffer.concat([start, junk]));
    expect(records.length).toBeLessThan(100);
    expect(damageOf(records).at(-1)).toMatch(/is not read/);
  });

  it('reports malformed observations, and keeps the others', async () => {
    const start = (await sampleFile()).subarray(0, 10);
    const [good] = story(1);
    const lines = ['{"kind":"stream-opened"}', '[]', 'not json', JSON.stringify(good)].join('\n');
    const records = await recordsOf(
      Buffer.concat([start, await encodeBlock('observations', Buffer.from(lines))]),
    );
    expect(observationsOf(records)).toEqual([good]);
    expect(damageOf(records)[0]).toMatch(/3 not understood, the first: /);
  });
});
