import { beforeEach, describe, expect, it } from 'vitest';
import { unpackBodies } from '@/server/packed-bodies';
import { namedHashes } from '@/server/store/named-hashes';
import { RecorderError } from '@/server/store/recorder/recorder-error';
import type { WriteBatch } from '@/server/store/recorder/writer/batch-builder';
import { LogWriter, type RecordingState } from '@/server/store/recorder/writer/log-writer';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

/** The condition is met within milliseconds, or within seconds on a busy machine. */
const patient = { timeout: patienceMs(60_000) };

const full = new RecorderError('SQLITE_FULL', 'database or disk is full');

let clock: ManualClock;
let states: RecordingState[];
let written: WriteBatch[];
/** Number of batches of each write. */
let transactions: number[];
/** Errors of the next writes; without any, writes succeed. */
let rejections: Error[];
/** Set to delay writes. */
let gate: Promise<void> | undefined;

beforeEach(() => {
  clock = new ManualClock();
  states = [];
  written = [];
  transactions = [];
  rejections = [];
  gate = undefined;
});

function newWriter(maxQueueBytes = 1e9): LogWriter {
  return new LogWriter({
    clock,
    newestSeq: 0,
    maxQueueBytes,
    onStateChange: (state) => states.push(state),
    probe: async () => {
      const rejection = rejections.shift();
      if (rejection) throw rejection;
    },
    write: async (batches) => {
      await gate;
      const rejection = rejections.shift();
      if (rejection) throw rejection;
      written.push(...batches);
      transactions.push(batches.length);
    },
  });
}

const bodiesWritten = () => written.flatMap(({ bodies }) => unpackBodies(bodies));
const seqsWritten = () => written.flatMap(({ seqs }) => [...seqs]);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

function appendMany(writer: LogWriter, count: number): void {
  for (let index = 0; index < count; index++) writer.append(emissionOf(clock.now(), null));
}

describe('LogWriter', () => {
  it('writes observations of 50 ms as one batch', async () => {
    const writer = newWriter();
    appendMany(writer, 2);
    clock.advance(49);
    appendMany(writer, 1);
    expect(written).toHaveLength(0);
    clock.advance(1);
    await writer.flushed();
    expect(written.map(({ seqs }) => seqs.length)).toEqual([3]);
  });

  it('writes 2,048 observations at once, and never more per batch', async () => {
    const writer = newWriter();
    appendMany(writer, 6000);
    expect(await writer.flushed()).toBe(6000);
    expect(written.map(({ seqs }) => seqs.length)).toEqual([2048, 2048, 1904]);
    expect(seqsWritten()).toEqual(range(1, 6000));
  });

  it('writes waiting batches in order, up to four in a transaction', async () => {
    const writer = newWriter();
    let release = (): void => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    appendMany(writer, 6 * 2048 + 1);
    release();
    expect(await writer.flushed()).toBe(6 * 2048 + 1);
    expect(transactions).toEqual([1, 4, 2]);
    expect(seqsWritten()).toEqual(range(1, 6 * 2048 + 1));
  });

  it('retries all batches of a failed write before later ones', async () => {
    const writer = newWriter();
    rejections = [full, full];
    appendMany(writer, 5000);
    await writer.flushed().catch(() => undefined);
    clock.advance(1000);
    await expect.poll(() => rejections.length, patient).toBe(0);
    appendMany(writer, 5000);
    await expect.poll(() => clock.waiting, patient).toBe(1);
    clock.advance(2000);
    await expect.poll(() => writer.state.state, patient).toBe('recording');
    expect(await writer.flushed()).toBe(10_000);
    expect(seqsWritten()).toEqual(range(1, 10_000));
    expect(transactions[0]).toBeGreaterThan(1);
  });

  it('resolves flushed() for what was appended before, also during a write', async () => {
    const writer = newWriter();
    appendMany(writer, 1);
    const first = writer.flushed();
    appendMany(writer, 1);
    const second = writer.flushed();
    expect(await first).toBeGreaterThanOrEqual(1);
    expect(await second).toBe(2);
    expect(await writer.flushed()).toBe(2);
  });

  it('makes keepPace() wait while more than 8 MiB are waiting, but not while recording is stopped', async () => {
    const writer = newWriter();
    let release = (): void => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    appendMany(writer, 1);
    await writer.keepPace();
    for (let count = 0; count < 9; count++) writer.append(emissionOf(1, `${count}`.repeat(1024 * 1024)));
    let isHeldUp = true;
    const paced = writer.keepPace().then(() => {
      isHeldUp = false;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isHeldUp).toBe(true);
    release();
    await paced;
    expect(seqsWritten().length).toBeGreaterThanOrEqual(5);
    await writer.flushed();
    rejections = [full];
    for (let count = 0; count < 9; count++) writer.append(emissionOf(1, `x${count}`.repeat(1024 * 1024)));
    await expect(writer.flushed()).rejects.toThrow('recording is stopped');
    await writer.keepPace();
    expect(states.at(-1)?.state).toBe('stopped');
  });

  it('sends a body once, and again after its hash was forgotten', async () => {
    const writer = newWriter();
    writer.append(emissionOf(1, 'a'));
    writer.append(emissionOf(2, 'a'));
    await writer.flushed();
    writer.append(emissionOf(3, 'a'));
    await writer.flushed();
    expect(bodiesWritten()).toHaveLength(1);
    writer.bodies.forget([bodyOf('a').hash]);
    writer.append(emissionOf(4, 'a'));
    await writer.flushed();
    expect(bodiesWritten()).toHaveLength(2);
  });

  it('names rejected bodies too', () => {
    const { observation } = emissionOf(1, 'good');
    if (observation.kind !== 'client-config-changed') throw new Error('expected client-config-changed');
    const [resource] = observation.changed;
    if (!resource) throw new Error('expected a resource');
    const errorState = {
      details: 'no',
      versionInfo: '2',
      lastUpdateAttempt: null,
      failedHash: bodyOf('bad').hash,
    };
    const reported = { ...observation, changed: [{ ...resource, errorState }] };
    expect(namedHashes(reported)).toEqual([bodyOf('good').hash, bodyOf('bad').hash]);
  });
});

describe('a failing disk', () => {
  it('stops recording with a reason; recording continues by itself with nothing missing', async () => {
    const writer = newWriter();
    rejections = [full, full];
    appendMany(writer, 3);
    await expect(writer.flushed()).rejects.toThrow('recording is stopped: the disk is full (SQLITE_FULL: ');
    expect(states).toEqual([
      { state: 'stopped', reason: 'the disk is full (SQLITE_FULL: database or disk is full)' },
    ]);
    await expect(writer.flushed()).rejects.toThrow('recording is stopped');
    appendMany(writer, 2);
    clock.advance(1000);
    await expect.poll(() => rejections.length, patient).toBe(0);
    expect(writer.state.state).toBe('stopped');
    await expect.poll(() => clock.waiting, patient).toBe(1);
    clock.advance(2000);
    await expect.poll(() => writer.ackedSeq, patient).toBe(5);
    expect(states.map(({ state }) => state)).toEqual(['stopped', 'recording']);
    expect(seqsWritten()).toEqual([1, 2, 3, 4, 5]);
    expect(writer.missed).toBe(0);
  });

  it('leaves waiting bodies readable', async () => {
    const writer = newWriter();
    rejections = [full];
    writer.append(emissionOf(1, 'waiting'));
    await writer.flushed().catch(() => undefined);
    expect(writer.bodies.findPending(bodyOf('waiting').hash)).toEqual(bodyOf('waiting'));
  });

  it('makes stored bodies be sent again, because the file may have been replaced', async () => {
    const writer = newWriter();
    writer.append(emissionOf(1, 'a'));
    await writer.flushed();
    rejections = [full];
    appendMany(writer, 1);
    await writer.flushed().catch(() => undefined);
    writer.append(emissionOf(2, 'a'));
    clock.advance(1000);
    await expect.poll(() => writer.ackedSeq, patient).toBe(3);
    expect(bodiesWritten().at(-1)).toEqual({ ...bodyOf('a'), bytes: Uint8Array.from(bodyOf('a').bytes) });
  });

  it('makes a counted gap of observations beyond the queue, and later ones are recorded', async () => {
    const one = newWriter();
    appendMany(one, 1);
    await one.flushed();
    const bytesOfOne = (written[0]?.lines.length ?? 0) + 100;
    written = [];
    states = [];

    const writer = newWriter(bytesOfOne * 10);
    rejections = [full];
    appendMany(writer, 1);
    await writer.flushed().catch(() => undefined);
    appendMany(writer, 50);
    const missed = writer.missed;
    expect(missed).toBeGreaterThan(30);
    expect(writer.state.reason).toMatch(/the disk is full .*; observations are being missed$/);
    clock.advance(1000);
    await expect.poll(() => writer.state.state, patient).toBe('recording');
    appendMany(writer, 2);
    expect(await writer.flushed()).toBe(53);
    expect(written.flatMap(({ gaps }) => gaps)).toEqual([
      {
        fromSeq: 52 - missed,
        toSeq: 51,
        fromAt: expect.any(Number),
        toAt: expect.any(Number),
        reason: 'the disk is full (SQLITE_FULL: database or disk is full)',
      },
    ]);
    expect(seqsWritten()).toEqual([...range(1, 51 - missed), 52, 53]);
    expect(writer.missed).toBe(missed);
  });

  it('makes a gap with its reason if it is only too slow', async () => {
    const writer = newWriter(3000);
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    appendMany(writer, 100);
    expect(states.at(-1)).toEqual({
      state: 'stopped',
      reason: 'more came than could be written; observations are being missed',
    });
    clock.advance(50);
    open();
    await expect.poll(() => writer.state, patient).toEqual({ state: 'recording', reason: '' });
    clock.advance(50);
    await expect.poll(() => written.flatMap(({ gaps }) => gaps), patient).toHaveLength(1);
    expect(seqsWritten().length + writer.missed).toBe(100);
    expect(writer.ackedSeq).toBe(100);
  });

  it('does not prevent recording an observation larger than the queue', async () => {
    const writer = newWriter(100);
    writer.append(emissionOf(1, 'x'.repeat(5000)));
    expect(await writer.flushed()).toBe(1);
    expect(writer.missed).toBe(0);
  });

  it('makes close() try once more, and reject with the number of unwritten observations', async () => {
    const writer = newWriter();
    rejections = [full, full];
    appendMany(writer, 3);
    await writer.flushed().catch(() => undefined);
    await expect(writer.close()).rejects.toThrow('3 observations were not written: the disk is full');
    expect(clock.waiting).toBe(0);
  });

  it('makes close() write everything that is waiting', async () => {
    const writer = newWriter();
    appendMany(writer, 2100);
    await writer.close();
    expect(seqsWritten()).toEqual(range(1, 2100));
  });
});
