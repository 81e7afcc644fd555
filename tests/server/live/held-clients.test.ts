import { afterEach, expect, it } from 'vitest';
import { type FleetHolding, HeldClients } from '@/server/live/held-clients';
import { systemClock } from '@/server/observe';
import type { Recorder } from '@/server/store/recorder/recorder';
import { emissionOf } from '@/tests/support/builders/recorder-emissions';
import { openLiveState } from '@/tests/support/open-live-state';
import { openWholeRecorder } from '@/tests/support/open-recorder';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** A process that holds no client, and the log that another one writes. */
async function openProcess({ beforeRead = async (_log: Recorder): Promise<void> => undefined } = {}) {
  const log = await openWholeRecorder();
  opened.push(log);
  const live = openLiveState({ append: ({ seq }) => seq ?? 0 });
  const holding: FleetHolding = { isWhole: false, isFolder: false, reachedSeq: 0, progress: '' };
  const fleet = new Set<string>();
  const listened = new Set<string>();
  let now = 1_000;
  const held = new HeldClients({
    ...{ clock: { ...systemClock, now: () => now }, live, holding },
    hasSubscriber: (topic) => listened.has(topic),
    recorder: {
      async readClientAt(...args) {
        const found = await log.readClientAt(...args);
        await beforeRead(log);
        return found;
      },
    },
  });
  held.followFleet(async (ids) => new Set(ids.filter((id) => fleet.has(id))));
  /** Appends an observation and passes it on as the reader of the store does. */
  const append = async (clientId: string, content: string, name = 'cluster'): Promise<boolean> => {
    const { observation, bodies } = emissionOf(1, content, clientId, name);
    const seq = log.append({ observation, bodies });
    await log.flushed();
    fleet.add(clientId);
    const takes = held.takes({ seq, at: observation.at, clientId, json: JSON.stringify(observation) });
    if (takes) live.observe({ observation, bodies: [], seq });
    else live.skip(seq, clientId);
    return takes;
  };
  const hashesOf = (clientId: string) =>
    [...(live.world.get(clientId)?.reports.values() ?? [])].flatMap(({ resources }) =>
      [...resources.values()].map(({ hash }) => hash),
    );
  return { log, live, held, holding, fleet, listened, append, hashesOf, pass: (ms: number) => (now += ms) };
}

const hashOf = (content: string) => emissionOf(1, content, 'any', 'cluster').bodies[0]?.hash;

it('holds no client until somebody asks for it, and follows it from then on', async () => {
  const { held, live, append, hashesOf } = await openProcess();
  expect(await append('a', 'a 1')).toBe(false);
  expect(await append('b', 'b 1')).toBe(false);
  expect(live.world.size).toBe(0);
  await Promise.all([held.open('a'), held.open('a')]);
  expect([...live.world.keys()]).toEqual(['a']);
  expect(hashesOf('a')).toEqual([hashOf('a 1')]);
  expect([await append('a', 'a 2'), await append('b', 'b 2')]).toEqual([true, false]);
  expect(hashesOf('a')).toEqual([hashOf('a 2')]);
});

it('opens no client that the fleet does not have, although the log has it', async () => {
  const { held, live, append, fleet } = await openProcess();
  await append('a', 'a 1');
  fleet.delete('a');
  await held.open('a');
  await held.open('never seen');
  expect(live.world.size).toBe(0);
});

it('loses nothing of a client that changes all the time while it is read, and folds nothing twice', async () => {
  let reads = 0;
  const { held, live, append, hashesOf } = await openProcess({
    beforeRead: async () => {
      reads += 1;
      for (let n = 1; n <= 10; n++) await append('a', `a ${reads} ${n}`, n % 2 === 0 ? 'even' : 'odd');
    },
  });
  await append('a', 'a 1', 'odd');
  await held.open('a');
  expect(hashesOf('a')).toEqual([`a ${reads} 9`, `a ${reads} 10`].map(hashOf));
  expect(live.world.get('a')?.seq).toBe(1 + 10 * reads);
  expect(await append('a', 'a 11', 'odd')).toBe(true);
});

it('does not fold again what the read has and the reader of the store passes on later', async () => {
  const { log, held, append, hashesOf, fleet } = await openProcess();
  fleet.add('a');
  const first = emissionOf(1, 'a 1', 'a', 'cluster');
  const second = emissionOf(2, 'a 2', 'a', 'cluster');
  for (const each of [first, second]) log.append(each);
  await log.flushed();
  await held.open('a');
  const late = { seq: 1, at: 1, clientId: 'a', json: JSON.stringify(first.observation) };
  expect(held.takes(late)).toBe(false);
  expect(hashesOf('a')).toEqual([hashOf('a 2')]);
  expect(await append('a', 'a 3')).toBe(true);
});

it('closes a client that nobody used for five minutes or that left the fleet, but none that a page listens to', async () => {
  const { held, live, append, fleet, listened, pass } = await openProcess();
  for (const id of ['idle', 'listened', 'gone', 'used']) {
    await append(id, id);
    await held.open(id);
  }
  listened.add('client:listened');
  fleet.delete('gone');
  pass(4 * 60_000);
  await held.open('used');
  await held.tidy();
  expect([...live.world.keys()].sort()).toEqual(['idle', 'listened', 'used']);
  pass(2 * 60_000);
  await held.tidy();
  expect([...live.world.keys()].sort()).toEqual(['listened', 'used']);
  expect(await append('idle', 'idle 2')).toBe(false);
});

it('closes the least recently used clients beyond 500', async () => {
  const { log, held, live, fleet } = await openProcess();
  for (let n = 0; n < 505; n++) {
    log.append(emissionOf(1, 'same content', `c${n}`, 'cluster'));
    fleet.add(`c${n}`);
  }
  await log.flushed();
  for (let n = 0; n < 505; n++) await held.open(`c${n}`);
  await held.open('c0');
  await held.tidy();
  expect(live.world.size).toBe(500);
  expect([live.world.has('c0'), live.world.has('c1'), live.world.has('c5')]).toEqual([true, false, false]);
});

it('holds all clients once it folds the fleet, whatever was open', async () => {
  const { log, held, live, append, holding, hashesOf } = await openProcess();
  for (const id of ['a', 'b', 'gone']) await append(id, `${id} 1`);
  await held.open('a');
  await held.open('gone');
  const world = new Map<string, NonNullable<Awaited<ReturnType<typeof log.readClientAt>>>['client']>();
  for (const id of ['a', 'b']) {
    const found = await log.readClientAt(id, { seq: 100 });
    if (found !== undefined) world.set(id, found.client);
  }
  held.holdAll(world);
  expect(holding.isWhole).toBe(true);
  expect([...live.world.keys()].sort()).toEqual(['a', 'b']);
  expect(await append('b', 'b 2')).toBe(true);
  expect(hashesOf('b')).toEqual([hashOf('b 2')]);
  await held.tidy();
  expect(live.world.size).toBe(2);
});
