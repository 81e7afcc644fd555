import type { KyselyPlugin } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { seededRandom } from '@/server/lab/random';
import { type Emission, systemClock } from '@/server/observe';
import { Checkpoints } from '@/server/store/checkpoints';
import { ObservationLog } from '@/server/store/log';
import { oddObservations } from '@/tests/support/builders/odd-observations';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { expectFolds, numbered, observationsOfDay, startAt } from '@/tests/support/client-at-story';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { streamStory } from '../../support/log-story';
import { describeEngines } from './engines';

function dayOf(seed: number): Recorded[] {
  const all = [
    ...streamStory(startAt - 100),
    ...observationsOfDay(6_000, seed),
    ...oddObservations(startAt + 90_000_000),
    ...streamStory(startAt + 95_000_000),
  ];
  return numbered(all);
}

function worldOf(day: readonly Recorded[]): World {
  const world: World = new Map();
  for (const observation of day) foldObservation(world, observation);
  return world;
}

async function append(log: ObservationLog, day: readonly Recorded[], batchSize: number): Promise<void> {
  for (let from = 0; from < day.length; from += batchSize) {
    const batch = day.slice(from, from + batchSize).map(({ seq: _, ...observation }) => observation);
    await log.append({ observations: batch });
    while (await log.followClients());
  }
}

describeEngines('readClientAt()', ({ open, openAgain }) => {
  it('returns the fold of everything up to any seq, across restarts and rushes', async () => {
    const day = dayOf(1);
    const store = await open();
    const first = new ObservationLog(store, systemClock);
    await append(first, day.slice(0, 1_000), 100);
    const second = new ObservationLog(await openAgain(), systemClock);
    await append(second, day.slice(1_000, 2_500), 500);
    await new Checkpoints(second.checkpoints).save(2_500, worldOf(day.slice(0, 2_500)).values());
    // A rush: the observations are followed later, from the log.
    const third = new ObservationLog(await openAgain(), systemClock);
    const rush = day.slice(2_500).map(({ seq: _, ...observation }) => observation);
    for (let from = 0; from < rush.length; from += 1_500) {
      await third.append({ observations: rush.slice(from, from + 1_500) });
    }
    await expectFolds(third, day, 1);
    while (await third.followClients());
    await expectFolds(third, day, 1);
    const rows = await store.db.selectFrom('client_snapshots').select(['seq', 'base_seq']).execute();
    expect(rows.filter(({ seq, base_seq }) => seq !== base_seq).length).toBeGreaterThan(10);
    expect(rows.filter(({ seq, base_seq }) => seq === base_seq).length).toBeGreaterThan(4);
  });

  it('reads a client as of one moment, whatever is appended between two statements', async () => {
    const store = await open();
    const writer = new ObservationLog(await openAgain(), systemClock);
    let n = 0;
    const appendSome = async () => {
      n += 1;
      const { observation } = emissionOf(n, `content ${n}`, 'a', 'cluster');
      const base = { at: n, vantage: 'tap', sourceId: 'csds:127.0.0.1:1', clientId: 'a' } as const;
      const response: Observation = {
        ...base,
        ...{ kind: 'response-received', streamId: 's', typeUrl: CDS.typeUrl, versionInfo: '1' },
        ...{ nonce: `${n}`, sizeBytes: 1, resources: [], unchangedResources: 0, controlPlane: '' },
      };
      await writer.append({ observations: [observation, response] });
    };
    await appendSome();
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await appendSome();
        return result;
      },
    };
    const log = new ObservationLog({ ...store, db: store.db.withPlugin(plugin) }, systemClock);
    const found = await log.readClientAt('a', { seq: Number.MAX_SAFE_INTEGER });
    const then = await writer.readClientAt('a', { seq: found?.seq ?? 0 });
    expect(n).toBeGreaterThan(3);
    expect(found).toEqual(then);
  });

  it('describes a gap, and begins again with the checkpoint after it', async () => {
    const day = dayOf(2).slice(0, 2_000);
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    await append(log, day.slice(0, 1_000), 200);
    const gap = { fromSeq: 1_001, toSeq: 1_100, fromAt: startAt, toAt: startAt, reason: 'disk full' };
    await log.write({ observations: [], lines: [], bodies: [], gaps: [gap] });
    const write = async (observations: readonly Recorded[]) => {
      const lines = observations.map(({ seq: _, ...observation }) => JSON.stringify(observation));
      await log.write({ observations, lines, bodies: [], gaps: [] });
      while (await log.followClients());
    };
    await write(day.slice(1_100, 1_500));
    const large = 'clientId' in (day[20] ?? {}) ? (day[20] as { clientId: string }).clientId : '';
    const before = await log.readClientAt(large, { seq: 1_400 });
    expect(before?.incomplete).toBe('observations 1001 to 1100 were not recorded: disk full');
    const world = worldOf(day.slice(0, 1_500));
    await checkpoints.save(1_500, world.values());
    await write(day.slice(1_500));
    expect((await log.readClientAt(large, { seq: 1_500 }))?.client).toEqual(world.get(large));
    await expectFolds(log, day, 1_501);
  });
});

describeEngines('readClientAt() at a time', ({ open }) => {
  it('returns what the recorder returns, also where times are not in the order of the log', async () => {
    const random = seededRandom(8);
    const day = dayOf(7)
      .slice(0, 3_000)
      .map(({ seq: _, ...observation }) => observation);
    // Copies of a tap arrive late, and those of files have any time.
    for (const odd of oddObservations(startAt + 1_000_000))
      day.splice(Math.floor(random() * day.length), 0, odd);
    const recorder = await openWholeRecorder();
    onTestFinished(() => recorder.close());
    for (const observation of day) recorder.append({ observation, bodies: [] });
    await recorder.flushed();
    const log = new ObservationLog(await open(), systemClock);
    for (let from = 0; from < day.length; from += 150) {
      await log.append({ observations: day.slice(from, from + 150) });
      while (await log.followClients());
    }
    const clients = new Set(day.flatMap((each) => ('clientId' in each ? [each.clientId] : [])));
    const [first, last] = [day[0]?.at ?? 0, day.at(-1)?.at ?? 0];
    let found = 0;
    for (let round = 0; round < 12; round++) {
      const at = round < 3 ? startAt + 1_000_000 + 10 * round : first - 10 + random() * (last - first);
      for (const clientId of clients) {
        const expected = await recorder.readClientAt(clientId, at);
        expect(await log.readClientAt(clientId, at), `${clientId} at ${at}`).toEqual(expected);
        if (expected !== undefined) found += 1;
      }
    }
    expect(found).toBeGreaterThan(30);
    expect(await log.readClientAt('nobody', startAt)).toBeUndefined();
  });
});

describeEngines('checkpoints', ({ open, openAgain }) => {
  const sources = [{ sourceId: 'tap:1', lastAt: 5, kind: 'tap', target: ':1' }] as never[];

  it('return what was saved, and write only the clients that changed', async () => {
    const day = dayOf(3);
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    expect(await checkpoints.load()).toBeUndefined();
    for (const until of [800, 2_000, 2_000, 4_500]) {
      const { newestSeq } = await log.readTotals();
      await append(log, day.slice(newestSeq, until), 300);
      const world = worldOf(day.slice(0, until));
      await checkpoints.save(until, world.values(), sources);
      const again = new ObservationLog(await openAgain(), systemClock);
      const found = await new Checkpoints(again.checkpoints).load();
      expect(found?.seq).toBe(until);
      expect(found?.sources).toEqual(sources);
      expect(new Map(found?.clients.map((client) => [client.clientId, client]))).toEqual(world);
    }
    // Later observations do not change the checkpoint.
    await append(log, day.slice(4_500), 300);
    const found = await checkpoints.load();
    expect(new Map(found?.clients.map((client) => [client.clientId, client]))).toEqual(
      worldOf(day.slice(0, 4_500)),
    );
    await expectFolds(log, day, 1);
  });

  it('omit clients that were removed, until they are seen again', async () => {
    const day = dayOf(4).slice(0, 2_000);
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    await append(log, day.slice(0, 1_000), 300);
    await checkpoints.save(1_000, []);
    expect((await checkpoints.load())?.clients).toEqual([]);
    const world = worldOf(day.slice(0, 1_000));
    await checkpoints.save(1_000, world.values());
    expect((await checkpoints.load())?.clients).toHaveLength(world.size);
    const [removed = ''] = world.keys();
    world.delete(removed);
    await append(log, day.slice(1_000, 1_001), 300);
    await checkpoints.save(1_001, world.values());
    const ids = (await checkpoints.load())?.clients.map(({ clientId }) => clientId) ?? [];
    expect(ids).toHaveLength(world.size);
    expect(ids).not.toContain(removed);
    const found = await log.readClientAt(removed, { seq: 1_001 });
    expect(found?.client.clientId).toBe(removed);
    await append(log, day.slice(1_001), 300);
    for (const observation of day.slice(1_000)) foldObservation(world, observation);
    await checkpoints.save(day.length, world.values());
    const later = new Map((await checkpoints.load())?.clients.map((client) => [client.clientId, client]));
    expect(later).toEqual(world);
  });
});

describeEngines('retention', ({ open }) => {
  const unlimited = {
    olderThan: -8.64e15,
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxCount: Number.MAX_SAFE_INTEGER,
  };

  it('keeps the states of clients at every moment that is left, and no other snapshots', async () => {
    const day = dayOf(5).slice(0, 5_000);
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    let oldest = 0;
    for (const [until, left] of [
      [1_500, 1_000],
      [3_000, 1_200],
      [3_100, 1_200],
      [5_000, 600],
    ] as const) {
      const { newestSeq } = await log.readTotals();
      await append(log, day.slice(newestSeq, until), 250);
      await checkpoints.save(until, worldOf(day.slice(0, until)).values());
      await log.applyRetention({ limits: { ...unlimited, maxCount: left } });
      const [first] = await log.readObservations({ limit: 1, order: 'asc' });
      expect(first?.seq).toBe(until - left + 1);
      oldest = first?.seq ?? 0;
      await expectFolds(log, day.slice(0, until), oldest - 1);
      // A client that ended is in the checkpoint as long as it was saved there, also without observations.
      const restored = await checkpoints.load();
      expect(new Map(restored?.clients.map((client) => [client.clientId, client]))).toEqual(
        worldOf(day.slice(0, until)),
      );
      const density = await log.readDensity({}, 60_000);
      expect(density.reduce((sum, { count }) => sum + count, 0)).toBe(left);
    }
    const snapshots = await store.db.selectFrom('client_snapshots').select(['client', 'seq']).execute();
    const clients = new Set(snapshots.map(({ client }) => client));
    expect(snapshots.filter(({ seq }) => seq < oldest).length).toBeLessThan(40 * clients.size);
    const world = worldOf(day);
    await log.append({ observations: streamStory(startAt + 99_000_000, 'another') });
    await checkpoints.save(day.length + 8, [...world.values()].slice(0, 2));
    await log.applyRetention({ limits: { ...unlimited, maxCount: 0 } });
    const left = await store.db.selectFrom('client_snapshots').select('client').distinct().execute();
    expect(left).toHaveLength(2);
  });

  it('keeps the states at the beginning of what is pinned', async () => {
    const day = dayOf(6).slice(0, 3_000);
    const log = new ObservationLog(await open(), systemClock);
    await append(log, day, 250);
    const [from, to] = [day[999]?.at ?? 0, day[1_199]?.at ?? 0];
    await log.pin({ from, to, clientId: null, label: '', createdAt: 0 });
    await new Checkpoints(log.checkpoints).save(3_000, worldOf(day).values());
    await log.applyRetention({ limits: { ...unlimited, maxCount: 500 } });
    const left = await log.readObservations({ limit: 5_000, order: 'asc' });
    const pinned = left.filter(({ at }) => at >= from && at <= to).map(({ seq }) => seq);
    expect(pinned.length).toBeGreaterThanOrEqual(200);
    await expectFolds(log, day.slice(0, pinned.at(-1)), (pinned[0] ?? 0) - 1);
    await expectFolds(log, day, (left.find(({ seq }) => seq > (pinned.at(-1) ?? 0))?.seq ?? 0) - 1);
  });

  it('drops a client that ended with its last observation, unless a checkpoint has it', async () => {
    const log = new ObservationLog(await open(), systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    const ended = [...streamStory(startAt, 'dropped'), ...streamStory(startAt, 'saved')];
    const observations = [...ended, emissionOf(startAt, null, 'runs').observation];
    await log.append({ observations });
    const world = worldOf(observations.map((observation, index) => ({ ...observation, seq: index + 1 })));
    const saved = [...world.values()].filter(({ clientId }) => clientId !== 'dropped');
    await checkpoints.save(observations.length, saved);
    await log.applyRetention({ limits: { ...unlimited, maxCount: 0 } });
    expect((await checkpoints.load())?.clients.map(({ clientId }) => clientId)).toEqual(['saved', 'runs']);
    const moment = { seq: observations.length };
    expect((await log.readClientAt('saved', moment))?.client).toEqual(world.get('saved'));
    expect(await log.readClientAt('dropped', moment)).toBeUndefined();
  });

  it('keeps the bodies that a client names, however long ago it was last reported', async () => {
    const log = new ObservationLog(await open(), systemClock);
    const checkpoints = new Checkpoints(log.checkpoints);
    const world: World = new Map();
    let seq = 0;
    const append = async (...emissions: Emission[]) => {
      await log.append({
        observations: emissions.map(({ observation }) => observation),
        bodies: emissions.flatMap(({ bodies }) => bodies),
      });
      for (const { observation } of emissions) foldObservation(world, { ...observation, seq: ++seq });
      while (await log.followClients());
    };
    await append(emissionOf(1, 'quiet', 'client-quiet'), emissionOf(2, 'replaced', 'client-b'));
    for (let round = 0; round < 4; round++) {
      for (let at = 0; at < 50; at++) await append(emissionOf(round * 100 + at, `b ${round}`, 'client-b'));
      await checkpoints.save(seq, world.values());
      await log.applyRetention({ limits: { ...unlimited, maxCount: 20 } });
    }
    const wanted = ['quiet', 'replaced', 'b 0', 'b 3'].map((content) => bodyOf(content).hash);
    const found = await log.readBodies(wanted);
    expect(found.has(bodyOf('quiet').hash)).toBe(true);
    expect(found.has(bodyOf('b 3').hash)).toBe(true);
    expect((await log.readClientAt('client-quiet', { seq }))?.client).toEqual(world.get('client-quiet'));
    // A lease ends some 10,000 observations later.
    for (let round = 0; round < 14; round++) {
      await append(
        ...Array.from({ length: 1_000 }, (_, at) => emissionOf(1_000 * round + at, 'b 4', 'client-b')),
      );
      await checkpoints.save(seq, world.values());
      await log.applyRetention({ limits: { ...unlimited, maxCount: 20 } });
    }
    const later = await log.readBodies([...wanted, bodyOf('b 4').hash]);
    expect([...wanted, bodyOf('b 4').hash].map((hash) => later.has(hash))).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
