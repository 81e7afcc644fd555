import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResourceState } from '@/lib/observation/resource-state';
import { namedHashes } from '@/server/store/named-hashes';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder, RecorderOptions } from '@/server/store/recorder/recorder';
import { makeDay } from '@/tests/support/builders/make-day';
import { bodyOf, clientStateOf, emissionOf, resourceOf } from '@/tests/support/builders/recorder-emissions';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { runs } from '@/tests/support/runs';

/** The condition is met within milliseconds, or within seconds on a busy machine. */
const patient = { timeout: patienceMs(60_000) };

const hour = 3_600_000;
const open: Recorder[] = [];

async function start(
  clock: ManualClock,
  retention: RecorderOptions['retention'] = { maxAgeMs: hour, maxBytes: 1e9 },
): Promise<Recorder> {
  const recorder = await openRecorder({ dataDir: tempDataDir(), clock, retention });
  open.push(recorder);
  return recorder;
}

afterEach(async () => {
  for (const recorder of open.splice(0)) await recorder.close();
});

async function seqsLeft(recorder: Recorder): Promise<number[]> {
  const left = await recorder.readObservations({ limit: 10_000, order: 'asc' });
  return left.map(({ seq }) => seq);
}

/** A state in which one resource has each of these contents. */
function stateWith(seq: number, contents: Iterable<string>) {
  const resources = Array.from(contents, (content) => resourceOf(content, { hash: bodyOf(content).hash }));
  return [clientStateOf('client-a', seq, resources)];
}

describe('retention by age', () => {
  it('deletes older observations, and the bodies that only they named', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'only-old'));
    recorder.append(emissionOf(clock.now(), 'old-and-new'));
    clock.advance(2 * hour);
    recorder.append(emissionOf(clock.now(), 'old-and-new'));
    await recorder.saveCheckpoint(3, stateWith(3, ['old-and-new']));
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([3]);
    expect(await recorder.readBody(bodyOf('only-old').hash)).toBeUndefined();
    expect(await recorder.readBody(bodyOf('old-and-new').hash)).toEqual(bodyOf('old-and-new'));
    const oldestAt = clock.now();
    expect(recorder.stats()).toMatchObject({ observations: 1, bodies: 1, oldestAt });
    clock.advance(1);
    recorder.append(emissionOf(clock.now(), 'old-and-new'));
    await recorder.flushed();
    expect(recorder.stats()).toMatchObject({ observations: 2, bodies: 1, oldestAt, checkpointSeq: 3 });
  });

  it('deletes nothing after the newest checkpoint, because a restart needs it', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    for (const content of ['a', 'b', 'c']) recorder.append(emissionOf(clock.now(), content));
    clock.advance(2 * hour);
    await recorder.flushed();
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([1, 2, 3]);
    await recorder.saveCheckpoint(2, stateWith(2, ['b']));
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([3]);
    expect([...(await recorder.readBodies(['a', 'b', 'c'].map((text) => bodyOf(text).hash))).keys()]).toEqual(
      expect.arrayContaining([bodyOf('b').hash, bodyOf('c').hash]),
    );
    expect(await recorder.readBody(bodyOf('a').hash)).toBeUndefined();
  });

  it('keeps a body of the current state, however long ago it was last reported', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'steady'));
    for (let day = 0; day < 5; day++) {
      clock.advance(24 * hour);
      const seq = recorder.append(emissionOf(clock.now(), `weather ${day}`, 'client-a', 'other'));
      await recorder.saveCheckpoint(seq, stateWith(seq, ['steady', `weather ${day}`]));
      await recorder.applyRetention();
    }
    expect(await recorder.readBody(bodyOf('steady').hash)).toEqual(bodyOf('steady'));
    // The third body is of the state before the oldest observation left.
    expect(recorder.stats()).toMatchObject({ observations: 1, bodies: 3 });
  });

  it('keeps a rejected body of the current state', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append({ ...emissionOf(clock.now(), null), bodies: [bodyOf('rejected')] });
    clock.advance(2 * hour);
    const errorState = {
      details: '',
      versionInfo: '',
      lastUpdateAttempt: null,
      failedHash: bodyOf('rejected').hash,
    };
    await recorder.saveCheckpoint(1, [clientStateOf('client-a', 1, [resourceOf('x', { errorState })])]);
    await recorder.applyRetention();
    expect(recorder.stats().observations).toBe(0);
    expect(await recorder.readBody(bodyOf('rejected').hash)).toEqual(bodyOf('rejected'));
  });

  it('keeps bodies that a permalink names after every observation was deleted', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'shared'));
    await recorder.savePermalink({ id: 'p', createdAt: 1, content: {}, hashes: [bodyOf('shared').hash] });
    clock.advance(2 * hour);
    await recorder.saveCheckpoint(1, []);
    await recorder.applyRetention();
    expect(recorder.stats()).toMatchObject({ observations: 0, bodies: 1 });
    expect(await recorder.readBody(bodyOf('shared').hash)).toEqual(bodyOf('shared'));
  });

  it('stores a body again that is emitted after it was deleted', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'returns'));
    recorder.append(emissionOf(clock.now(), null));
    clock.advance(2 * hour);
    await recorder.saveCheckpoint(2, []);
    await recorder.applyRetention();
    expect(recorder.stats().bodies).toBe(0);
    recorder.append(emissionOf(clock.now(), 'returns'));
    await recorder.flushed();
    expect(await recorder.readBody(bodyOf('returns').hash)).toEqual(bodyOf('returns'));
  });

  it('keeps a body that an observation names without its bytes', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'known'));
    await recorder.flushed();
    clock.advance(2 * hour);
    recorder.append(emissionOf(clock.now(), 'known'));
    recorder.append(emissionOf(clock.now(), null));
    await recorder.saveCheckpoint(3, []);
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([2, 3]);
    expect(await recorder.readBody(bodyOf('known').hash)).toEqual(bodyOf('known'));
  });

  it('keeps a body that is named again while it is about to be deleted', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now(), 'known'));
    recorder.append(emissionOf(clock.now(), null));
    await recorder.saveCheckpoint(2, []);
    clock.advance(2 * hour);
    // The body is known to be stored, so the emission has no bytes; it waits in the queue while retention runs.
    recorder.append(emissionOf(clock.now(), 'known'));
    await recorder.applyRetention();
    await recorder.flushed();
    expect(await seqsLeft(recorder)).toEqual([3]);
    expect(await recorder.readBody(bodyOf('known').hash)).toEqual(bodyOf('known'));
  });

  it('runs once a minute', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock);
    recorder.append(emissionOf(clock.now() - 2 * hour, 'old'));
    await recorder.saveCheckpoint(1, []);
    clock.advance(60_000);
    await expect.poll(() => recorder.stats().observations, patient).toBe(0);
    expect(recorder.stats().retentionProblem).toBe('');
  });
});

describe('retention by size', () => {
  it('deletes the oldest observations until the limit is met, shrinks the file, and continues numbering', async () => {
    const clock = new ManualClock();
    const recorder = await start(clock, { maxAgeMs: 1e6 * hour, maxBytes: 2_000_000 });
    const random = fc.sample(fc.uint8Array({ minLength: 2000, maxLength: 2000 }), { numRuns: 20, seed: 1 });
    for (let index = 0; index < 3000; index++) {
      const bytes = new Uint8Array(random[index % 20] ?? []);
      new DataView(bytes.buffer).setUint32(0, index);
      const body = bodyOf(bytes);
      recorder.append({ ...emissionOf(clock.now(), null, 'client-a', `resource-${index}`), bodies: [body] });
    }
    await recorder.saveCheckpoint(3000, []);
    const before = recorder.stats().sizeBytes;
    await recorder.applyRetention();
    const { sizeBytes, observations } = recorder.stats();
    expect(before).toBeGreaterThan(5_000_000);
    expect(sizeBytes).toBeLessThan(2_100_000);
    expect(observations).toBeLessThan(3000);
    expect(recorder.append(emissionOf(clock.now(), 'next'))).toBe(3001);
  });
});

describe('any sequence of operations', () => {
  const contents = ['a', 'b', 'c', 'd', 'e', 'f'];
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('emit' as const), content: fc.constantFrom(...contents) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('share' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('retain' as const), wait: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass time' as const) }) },
  );

  it('keeps bodies that the state, an observation or a permalink names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const clock = new ManualClock();
        const recorder = await start(clock);
        const state = new Map<string, ResourceState>();
        const shared = new Set<string>();
        const reported = new Map<number, string>();
        const running: Promise<unknown>[] = [];
        let seq = 0;
        const states = () => [clientStateOf('client-a', seq, [...state.values()])];
        for (const now of steps) {
          if (now.kind === 'emit') {
            const body = bodyOf(now.content);
            const name = `r${state.size % 3}`;
            state.set(name, resourceOf(name, { hash: body.hash }));
            seq = recorder.append(emissionOf(clock.now(), now.content, 'client-a', name));
            reported.set(seq, body.hash);
          } else if (now.kind === 'share') {
            const hashes = [...state.values()].flatMap(({ hash }) => hash ?? []);
            for (const hash of hashes) shared.add(hash);
            running.push(
              recorder.savePermalink({ id: `p${running.length}`, createdAt: 0, content: {}, hashes }),
            );
          } else if (now.kind === 'checkpoint') {
            running.push(recorder.saveCheckpoint(seq, states()));
          } else if (now.kind === 'retain') {
            const round = recorder.applyRetention();
            running.push(round);
            if (now.wait) await round;
          } else {
            clock.advance(hour / 2);
          }
        }
        await Promise.all(running);
        clock.advance(2 * hour);
        await recorder.saveCheckpoint(seq, states());
        const named = new Set([...shared, ...[...state.values()].flatMap(({ hash }) => hash ?? [])]);
        for (const left of await seqsLeft(recorder)) named.add(reported.get(left) ?? 'unreported');
        const found = await recorder.readBodies(named);
        expect([...found.keys()].sort()).toEqual([...named].sort());
        await recorder.applyRetention();
        const inState = [...state.values()].flatMap(({ hash }) => hash ?? []);
        expect(recorder.stats().observations).toBe(0);
        // Others may be kept somewhat longer (Bodies).
        expect(recorder.stats().bodies).toBeGreaterThanOrEqual(new Set([...shared, ...inState]).size);
        await recorder.close();
        open.splice(open.indexOf(recorder), 1);
      }),
      { numRuns: runs(6) },
    );
  });
});

describe('removed clients', () => {
  it('do not keep their observations, and leave others readable', async () => {
    const clock = new ManualClock();
    const dataDir = tempDataDir();
    const recorder = await openRecorder({ dataDir, clock, retention: { maxAgeMs: hour, maxBytes: 1e9 } });
    recorder.append(emissionOf(clock.now(), 'a', 'client-gone'));
    recorder.append(emissionOf(clock.now(), 'b', 'client-stays'));
    recorder.append({
      observation: {
        kind: 'client-gone',
        at: clock.now(),
        vantage: 'csds',
        sourceId: 'csds:127.0.0.1:1',
        clientId: 'client-gone',
        side: 'client',
        reason: 'no longer named',
      },
      bodies: [],
    });
    clock.advance(2 * hour);
    recorder.append(emissionOf(clock.now(), null, 'client-new'));
    await recorder.saveCheckpoint(4, []);
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([4]);
    expect((await recorder.readClientAt('client-stays', { seq: 4 }))?.incomplete).toBe('');
    clock.advance(2 * hour);
    recorder.append(emissionOf(clock.now(), null, 'client-new'));
    await recorder.saveCheckpoint(5, []);
    await recorder.applyRetention();
    expect(await seqsLeft(recorder)).toEqual([5]);
    await recorder.close();
  });
});

describe('pinned ranges and counts', () => {
  const options = { observations: 9_000, startAt: Date.UTC(2026, 0, 1), clients: 5, largeClients: 0 };
  const day = makeDay({ ...options, manyServices: 300, seed: 5 }, { wire: 0, delta: 0 });
  const emissions = [...day].flat();
  const daysAfter = (count: number) => new ManualClock(Date.UTC(2026, 0, 1) + count * 24 * hour);

  it('keeps at most the configured number of observations, in blocks', async () => {
    const recorder = await start(daysAfter(1), { maxAgeMs: 1e6 * hour, maxBytes: 1e9, maxCount: 4_000 });
    for (const emission of emissions) recorder.append(emission);
    await recorder.saveCheckpoint(emissions.length, []);
    await recorder.applyRetention();
    expect(recorder.stats().observations).toBeLessThan(5_100);
    expect(recorder.stats().observations).toBeGreaterThan(2_900);
  });

  it('keeps a pinned range with its bodies and the state of its clients until it is unpinned', async () => {
    const recorder = await start(daysAfter(30));
    const from = Date.UTC(2026, 0, 1, 8);
    const to = Date.UTC(2026, 0, 1, 10);
    const pin = await recorder.pin({ from, to, clientId: null, label: 'outage', createdAt: 1 });
    for (const emission of emissions) recorder.append(emission);
    await recorder.flushed();
    const clientIds = new Set<string>();
    for (const { observation } of emissions) {
      if ('clientId' in observation) clientIds.add(observation.clientId);
    }
    const [clientId = ''] = clientIds;
    const at = Date.UTC(2026, 0, 1, 9);
    const before = await recorder.readClientAt(clientId, at);
    await recorder.saveCheckpoint(emissions.length, []);
    await recorder.applyRetention();
    const left = await recorder.readObservations({ limit: 10_000, order: 'asc' });
    expect(left.length).toBeLessThan(5_000);
    const wanted = emissions.filter(({ observation }) => observation.at >= from && observation.at <= to);
    expect(left.filter((observation) => observation.at >= from && observation.at <= to)).toHaveLength(
      wanted.length,
    );
    const after = await recorder.readClientAt(clientId, at);
    expect(after?.client).toEqual(before?.client);
    expect(after?.incomplete).toBe('');
    const hashes = new Set(left.flatMap((observation) => namedHashes(observation)));
    for (const report of after?.client.reports.values() ?? []) {
      for (const { hash } of report.resources.values()) if (hash !== null) hashes.add(hash);
    }
    expect((await recorder.readBodies(hashes)).size).toBe(hashes.size);

    expect(await recorder.unpin(pin?.id ?? 0)).toBe(true);
    await recorder.applyRetention();
    const end = await recorder.readObservations({ limit: 10_000, order: 'asc' });
    expect(end.filter((observation) => observation.at <= to)).toEqual([]);
  });
});
