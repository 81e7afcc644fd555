import { openLiveState } from '@/tests/support/open-live-state';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import '../../../support/seeded-properties';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { changesQuery } from '@/lib/views/changes/schema';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { findChanges } from '@/server/answers/history/changes-api';
import { ClientRows } from '@/server/answers/subjects/client-rows';
import { ClientSubjects } from '@/server/answers/subjects/client-subjects';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { Validator } from '@/server/compute/validate/document-validator';
import { ClientAtCache } from '@/server/store/past/client-at-cache';
import { nodeOf } from '@/tests/support/builders/recorder-emissions';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { runs } from '@/tests/support/runs';
import { resourceOf } from '../../../support/builders/recorder-emissions';
import { tempDataDir } from '../../../support/recorder-temp-dir';

/** A client "c" that is observed for a while, over a real recorder; `dataDir` may be one of before a restart. */
async function startTravelStory(dataDir: string, clock = new ManualClock()) {
  const recorder = await openWholeRecorder({ dataDir, clock });
  const freshnessOf: FreshnessOf = ({ goneAt, goneReason }) => ({
    freshness: goneAt === null ? 'live' : 'gone',
    reason: goneReason,
    lastSeenAt: undefined,
  });
  const live = openLiveState({ clock, append: (emission) => recorder.append(emission), freshnessOf });
  const graphs = new GraphBuilder({ recorder });
  const validate = new Validator({ redactionKey: randomBytes(32), recorder });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const rows = new ClientRows({ live, freshnessOf });
  const subjects = new ClientSubjects({
    clock,
    live,
    rows,
    past,
    freshnessOf,
    findSettings: () => noSettings,
  });
  /** Returns the sequence number of the observation. */
  const observe = (
    changed: readonly ResourceState[],
    removed: readonly ResourceKey[] = [],
    vantage: 'csds' | 'probe' = 'csds',
    clientId = 'c',
  ): number => {
    const at = clock.now();
    const observation = {
      kind: 'client-config-changed',
      at,
      vantage,
      sourceId: `${vantage}:a:1`,
      clientId,
      side: vantage === 'csds' ? 'client' : 'control-plane',
      node: nodeOf(clientId),
      scope: '',
      changed: changed.map((state) => ({ ...state, changedAt: at })),
      removed,
    } as const;
    live.observe({ observation, bodies: [] });
    return live.seq;
  };
  return {
    clock,
    recorder,
    live,
    graphs,
    validate,
    past,
    subjects,
    observe,
    time: () => new Date(clock.now()).toISOString(),
    close: async () => {
      await graphs.close();
      await validate.close();
      await recorder.close();
    },
  };
}

async function start() {
  const story = await startTravelStory(tempDataDir());
  onTestFinished(story.close);
  return story;
}

type Story = Awaited<ReturnType<typeof start>>;

/** The view of the client, without fields that only the current state has. */
async function viewOf({ subjects }: Story, at?: string) {
  const view = await subjects.find('c', at);
  const { moment: _, ...client } = view?.client ?? {};
  return { client, rows: view?.rows };
}

describe('a client at a moment', () => {
  it('is what was reported then, after any sequence of changes', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.record({
      changed: fc.uniqueArray(fc.tuple(name, fc.constantFrom('1', '2'), fc.constantFrom('ACKED', 'NACKED')), {
        selector: ([key]) => key,
      }),
      removed: fc.uniqueArray(name),
      vantage: fc.constantFrom('csds' as const, 'probe' as const),
      pauseMs: fc.constantFrom(0, 1, 60_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const story = await start();
        const reported: { seq: number; at: string; answer: unknown }[] = [];
        for (const { changed, removed, vantage, pauseMs } of steps) {
          story.clock.advance(pauseMs);
          const states = changed.map(([key, versionInfo, clientStatus]) =>
            resourceOf(key, { versionInfo, clientStatus, hash: versionInfo.repeat(64) }),
          );
          const gone = removed.filter((key) => !changed.some(([other]) => other === key));
          const keys = gone.map((key) => ({ typeUrl: resourceOf(key).typeUrl, name: key }));
          const seq = story.observe(states, keys, vantage);
          reported.push({ seq, at: story.time(), answer: structuredClone(await viewOf(story)) });
        }
        for (const { seq, at, answer } of reported) {
          expect(await viewOf(story, `seq:${seq}`)).toEqual(answer);
          // The last one of several observations in one millisecond counts.
          const last = reported.findLast((other) => other.at === at);
          expect(await viewOf(story, at)).toEqual(last?.answer);
        }
      }),
      { numRuns: runs(12) },
    );
  });

  it('states its time and seq', async () => {
    const story = await start();
    story.observe([resourceOf('a')]);
    story.clock.advance(500);
    story.observe([resourceOf('x')], [], 'csds', 'other');
    const between = story.time();
    story.clock.advance(500);
    story.observe([resourceOf('b')]);
    const view = await story.subjects.find('c', between);
    expect(view?.moment).toEqual({ at: Date.parse(between), seq: 1, incomplete: '' });
    expect(view?.rows.map(({ name }) => name)).toEqual(['a']);
    // An observation of another client is a moment of this one, too.
    expect((await story.subjects.find('c', 'seq:2'))?.moment).toEqual({
      at: Date.parse(between),
      seq: 1,
      incomplete: '',
    });
    expect((await story.subjects.find('c', undefined))?.moment).toBeUndefined();
  });

  it('rejects text that is not a moment, and future moments', async () => {
    const story = await start();
    story.observe([resourceOf('a')]);
    await expect(story.subjects.find('c', 'yesterday')).rejects.toMatchObject({ status: 400, field: 'at' });
    await expect(story.subjects.find('c', '2026-01-01')).rejects.toMatchObject({ status: 400 });
    await expect(story.subjects.find('c', 'seq:2')).rejects.toThrow(
      'expected at most event 1, the newest, got 2',
    );
    await expect(story.subjects.find('c', '2100-01-01T00:00:00Z')).rejects.toThrow('not after now');
  });

  it('reports where the log begins if it has nothing of the moment, and no client that never existed', async () => {
    const story = await start();
    story.clock.advance(1_000);
    const begin = story.time();
    story.observe([resourceOf('a')]);
    await expect(story.subjects.find('c', '2026-01-01T00:00:00Z')).rejects.toMatchObject({
      status: 404,
      detail: expect.stringContaining(`it begins at ${begin}`),
    });
    expect(await story.subjects.find('nobody', begin)).toBeUndefined();
  });

  it('exists for a client that no source reports any longer', async () => {
    const dataDir = tempDataDir();
    const before = await startTravelStory(dataDir);
    before.observe([resourceOf('a')]);
    const at = before.time();
    await before.close();
    before.clock.advance(1_000);
    const after = await startTravelStory(dataDir, before.clock);
    onTestFinished(after.close);
    expect(after.subjects.findNow('c')).toBeUndefined();
    expect((await after.subjects.find('c', at))?.rows.map(({ name }) => name)).toEqual(['a']);
    expect(await after.past.findLastSeq('c')).toBe(1);
    expect(await after.past.findLastSeq('nobody')).toBeUndefined();
  });

  it('is folded once for simultaneous requests', async () => {
    const story = await start();
    const seq = story.observe([resourceOf('a')]);
    const [one, two] = await Promise.all([
      story.subjects.find('c', `seq:${seq}`),
      story.subjects.find('c', `seq:${seq}`),
    ]);
    expect(one?.rows).toBe(two?.rows);
    expect((await story.subjects.find('c', `seq:${seq}`))?.rows).toBe(one?.rows);
  });

  it('reads the current rows with the time at which they are read, not that of the question', async () => {
    const story = await start();
    story.observe([resourceOf('a')]);
    const subject = await story.subjects.find('c', undefined);
    story.clock.advance(5);
    story.observe([resourceOf('a', { versionInfo: '2' })]);
    const read = await subject?.source.read();
    expect(read?.rows[0]).toMatchObject({ name: 'a', versionInfo: '2' });
    expect(read?.at).toBe((subject?.at ?? 0) + 5);
  });
});

describe('findChanges()', () => {
  it('lists and counts the differences between two moments', async () => {
    const story = await start();
    const from = story.observe([resourceOf('a'), resourceOf('b'), resourceOf('c')]);
    story.clock.advance(1_000);
    const to = story.observe(
      [resourceOf('b', { hash: 'b'.repeat(64) }), resourceOf('d')],
      [{ typeUrl: resourceOf('a').typeUrl, name: 'a' }],
    );
    story.clock.advance(1_000);
    story.observe([], [{ typeUrl: resourceOf('d').typeUrl, name: 'd' }]);
    const changes = await findChanges(
      story.subjects,
      'c',
      changesQuery.parse({ from: `seq:${from}`, to: `seq:${to}` }),
    );
    expect(changes?.counts).toEqual({ added: 1, removed: 1, changed: 1, versionOnly: 0, unchanged: 1 });
    expect(changes?.items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'removed a',
      'changed b',
      'added d',
    ]);
    expect(changes).toMatchObject({ from: { seq: from }, to: { seq: to } });
    const now = await findChanges(
      story.subjects,
      'c',
      changesQuery.parse({ from: `seq:${from}`, kind: 'added' }),
    );
    expect(now).toMatchObject({ total: 0, items: [], counts: { added: 0, removed: 1 } });
    expect(now?.to).toBeUndefined();
    // In the other direction, additions and removals are swapped.
    const back = await findChanges(
      story.subjects,
      'c',
      changesQuery.parse({ from: `seq:${to}`, to: `seq:${from}` }),
    );
    expect(back?.items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'added a',
      'changed b',
      'removed d',
    ]);
  });
});
