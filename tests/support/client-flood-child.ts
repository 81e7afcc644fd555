import { Session } from 'node:inspector';
import { countOpen } from '@/lib/nacks/nack-group';
import type { World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { ClientLifetimes } from '@/server/live/client-lifetimes';
import { NodeWatcher } from '@/server/live/fleet/node-watcher';
import type { LiveState } from '@/server/live/live-state';
import { LogFollower } from '@/server/live/log-folds/log-follower';
import { NackStore } from '@/server/live/nacks/nack-store';
import { sampleNode, sampleReport, sampleResource } from './builders/observation-samples';
import { openLiveState } from './open-live-state';
import { ManualClock } from './recorder-manual-clock';

/** A source floods the parts of the runtime that store something by client, and is removed. */
const clock = new ManualClock();
const world: World = new Map();
const sources = new Set(['flood']);
let seq = 0;
const nodes = new NodeWatcher(world);
const recorder = { readObservationTexts: async () => [], flushed: async () => 0 };
const nacks = new NackStore({ clock, publish: () => undefined });
const follower = new LogFollower({ clock, recorder, world, folds: [nacks] });
await follower.restore(0);
const live: LiveState = openLiveState(
  {
    clock,
    append: () => ++seq,
    onFolded: (observation) => {
      follower.observe(observation);
      nodes.observe(observation);
      lifetimes.observe(observation);
    },
  },
  { world, newestSeq: 0 },
);
const lifetimes: ClientLifetimes = new ClientLifetimes({
  ...{ clock, live, limits: { total: 20_000, perSource: 10_000 }, isSource: (id: string) => sources.has(id) },
});
live.onForgotten((client) => {
  nodes.forget(client.clientId, client.reports.keys());
  nacks.forget(client);
});

function heapMb(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const session = new Session();
session.connect();
Object.assign(globalThis, { parts: { live, nodes } });

interface InspectedObject {
  readonly objectId?: string;
  readonly value?: unknown;
}

/** Calls a method of the inspector, which answers at once within the same thread. */
function inspect<Answer>(method: string, params: object): Answer {
  let answer: unknown;
  session.post(method, params, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer as Answer;
}

interface InspectedProperty {
  readonly name: string;
  readonly value?: InspectedObject;
}

/** The number of entries of every Map, Set and cache of a part, by path. Only the inspector reads private fields. */
function sizesOf(part: string): Record<string, number> {
  const { result: found } = inspect<{ result: InspectedObject }>('Runtime.evaluate', {
    expression: `parts.${part}`,
  });
  const { result, privateProperties } = inspect<{
    readonly result: readonly InspectedProperty[];
    readonly privateProperties: readonly InspectedProperty[];
  }>('Runtime.getProperties', { objectId: found.objectId, ownProperties: true });
  const sizes: Record<string, number> = {};
  for (const { name, value } of [...result, ...privateProperties]) {
    if (value?.objectId === undefined) continue;
    const { result: size } = inspect<{ result: InspectedObject }>('Runtime.callFunctionOn', {
      objectId: value.objectId,
      functionDeclaration: 'function () { return this.size; }',
      returnByValue: true,
    });
    if (typeof size.value === 'number') sizes[`${part}.${name}`] = size.value;
  }
  return sizes;
}

function measure() {
  return {
    heapMb: heapMb(),
    clients: world.size,
    groups: [...nacks.book.groups.values()].filter(
      (group) => countOpen(group).open > countOpen(group).terminated,
    ).length,
    sizes: { ...sizesOf('live'), ...sizesOf('nodes') },
  };
}

function observe(observation: Observation): void {
  if (lifetimes.admit(observation)) live.observe({ observation, bodies: [] });
}

function flood(from: number, count: number): void {
  for (let index = from; index < from + count; index++) {
    const clientId = `made-up-${index}`;
    const errorState = { details: 'rejected', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };
    const changed = ['a', 'b', 'c'].map((name) =>
      sampleResource({ name: `${name}-${index}`, typeUrl: 'type' }),
    );
    const nacked = sampleResource({ name: 'nacked', clientStatus: 'NACKED', errorState });
    const node = sampleNode(clientId);
    observe(
      sampleReport({ at: clock.now(), sourceId: 'flood', clientId, node, changed: [...changed, nacked] }),
    );
    if (index % 1_000 === 0) clock.advance(200);
  }
  clock.advance(10_000);
}

// Compiled code and objects that are created once are not counted.
flood(0, 1_000);
sources.delete('flood');
await lifetimes.sourceRemoved('flood', false);
sources.add('flood');
const before = measure();
flood(1_000_000, 50_000);
const flooded = measure();
sources.delete('flood');
await lifetimes.sourceRemoved('flood', false);
clock.advance(10_000);
const after = measure();
lifetimes.close();
process.stdout.write(JSON.stringify({ before, flooded, after, logged: seq }));
