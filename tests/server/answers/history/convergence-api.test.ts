import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { churn, churnQuery } from '@/lib/views/churn/schema';
import {
  convergence,
  convergenceQuery,
  recentConvergence,
  recentConvergenceQuery,
} from '@/lib/views/pushes/schema';
import { ChurnApi } from '@/server/answers/history/churn-api';
import { ConvergenceApi } from '@/server/answers/history/convergence-api';
import { parseQuery } from '@/server/answers/parse-input';
import { ConvergenceReader } from '@/server/live/convergence/convergence-reader';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { emissions } from '../../../support/log-story';
import { acked, closed, nacked, opened, polled, sent } from '../../../support/push-story';

const t0 = Date.UTC(2026, 10, 21, 11, 0, 0);
const clock = {
  now: () => t0 + 60_000,
  setTimeout: () => ({ cancel: () => undefined }),
};
const clients = ['a', 'b', 'c', 'd'];

const story: readonly Observation[] = [
  ...clients.flatMap((clientId) => [
    opened(clientId, t0),
    sent({ clientId, at: t0 + 1, version: 'v1', hash: 'aa' }),
    acked({ clientId, at: t0 + 2, version: 'v1', hash: 'aa' }),
  ]),
  // Holds it too, and is only polled.
  polled({ clientId: 'p', at: t0 + 5, version: 'v1', hash: 'aa' }),
  ...['a', 'b', 'c'].map((clientId) => sent({ clientId, at: t0 + 10_000, version: 'v2', hash: 'bb' })),
  acked({ clientId: 'a', at: t0 + 10_004, version: 'v2', hash: 'bb' }),
  nacked({ clientId: 'b', at: t0 + 10_006, version: 'v2', hash: 'bb' }, 'cart: no such policy'),
  closed('c', t0 + 10_000, 'half-open'),
];

let recorder: Recorder;
let reader: ConvergenceReader;
let api: ConvergenceApi;
beforeEach(async () => {
  recorder = await openWholeRecorder({ clock });
  const world: World = new Map();
  for (const emission of emissions(story)) {
    foldObservation(world, { ...emission.observation, seq: recorder.append(emission) });
  }
  const freshnessOf = () => ({ freshness: 'live', reason: '' }) as const;
  reader = new ConvergenceReader({ recorder, world, sources: new SourceDirectory(), freshnessOf });
  api = new ConvergenceApi({
    ...{ recorder, clock, convergence: reader },
    nodeIdOf: (clientId) => `node of ${clientId}`,
    findSource: () => undefined,
  });
});
afterEach(async () => {
  await reader.close();
  await recorder.close();
});

async function find(query: object) {
  return convergence.parse(await ask({ type: 'CDS', ...query }));
}

async function ask(query: object) {
  return api.find(parseQuery(convergenceQuery, query));
}

const newest = recentConvergenceQuery.parse({});

describe('GET convergence', () => {
  it('answers for a content which clients accepted it after which time, and which have not and why', async () => {
    const found = await find({ resource: 'cart' });
    expect(found.subject).toMatchObject({ service: 'CDS', name: 'cart', version: 'v2', server: 'cp' });
    expect(found.spread).toMatchObject({ accepted: 1, total: 5, sure: [{ afterMs: 4, clients: 1 }] });
    expect(found.clients.map(({ nodeId, kind }) => [nodeId, kind])).toEqual([
      ['node of b', 'rejected'],
      ['node of c', 'silent'],
      ['node of p', 'behind'],
      ['node of d', 'behind'],
      ['node of a', 'accepted'],
    ]);
    expect(found.clients[0]).toMatchObject({ text: 'cart: no such policy', before: { version: 'v1' } });
    expect(found.clients[1]?.reason).toBe(
      'silent for 50 s: UNAVAILABLE: half-open, still on version v1 since 2026-11-21T11:00:00.002Z',
    );
    expect(found.clients[4]?.after).toEqual({ fromMs: 4, toMs: 4 });
  });

  it('answers for a version as well, with clients that hold its content without having received it', async () => {
    const found = await find({ version: 'v2' });
    expect(found.clients.map(({ clientId, kind }) => [clientId, kind])).toEqual([
      ['b', 'rejected'],
      ['c', 'silent'],
      ['p', 'behind'],
      ['d', 'behind'],
      ['a', 'accepted'],
    ]);
    expect([found.names, found.nameCount]).toEqual([['cart'], 1]);
  });

  it('leaves out clients of removed files, whose observations are still in the log', async () => {
    const [clientId, from] = ['removed', { sourceId: 'file:removed', vantage: 'dump' }] as const;
    for (const one of [
      opened(clientId, t0),
      sent({ clientId, at: t0 + 1, version: 'v1', hash: 'aa' }),
      acked({ clientId, at: t0 + 2, version: 'v1', hash: 'aa' }),
    ])
      recorder.append({ observation: { ...one, ...from }, bodies: [] });
    const found = await Promise.all([find({ resource: 'cart' }), find({ resource: 'cart', hash: 'aa' })]);
    expect(found.flatMap((each) => each.clients.map(({ clientId }) => clientId))).not.toContain('removed');
    expect((await api.recent(newest)).items.map(({ spread }) => spread.total)).toEqual([5, 4]);
  });

  it('answers as of a moment', async () => {
    const found = await find({ resource: 'cart', to: new Date(t0 + 10_003).toISOString() });
    expect(found.spread.counts).toMatchObject({ accepted: 0, rejected: 0, silent: 1, behind: 4 });
  });

  it('finds an earlier content by its hash, and lists all of them', async () => {
    const found = await find({ resource: 'cart', hash: 'aa' });
    expect(found.contents.map(({ hash, isThis }) => [hash, isThis])).toEqual([
      ['bb', false],
      ['aa', true],
    ]);
    expect(found.spread).toMatchObject({ accepted: 4, total: 4, counts: { 'joined-later': 1 } });
  });

  it('answers 404 for an unknown content, and 400 for a query that is not valid', async () => {
    expect(await ask({ type: 'CDS', resource: 'nobody' })).toBeUndefined();
    for (const [query, field] of [
      [{ type: 'XDS', resource: 'cart' }, 'type'],
      [{ type: 'CDS' }, 'resource'],
      [{ type: 'CDS', resource: 'cart', version: 'v1' }, 'resource'],
      [{ type: 'CDS', resource: 'cart', hash: 'zz' }, 'hash'],
    ] as const) {
      await expect(ask(query)).rejects.toMatchObject({ status: 400, field });
    }
  });
});

describe('GET convergence/recent', () => {
  it('lists the newest pushes with the same figures as GET convergence', async () => {
    const { items } = recentConvergence.parse(await api.recent(newest));
    expect(items.map(({ subject, spread }) => [subject.version, spread.accepted, spread.total])).toEqual([
      ['v2', 1, 5],
      ['v1', 4, 4],
    ]);
    expect(items[0]).toMatchObject({
      ...{ names: ['cart'], p50: undefined, kind: 'changed' },
      changes: [{ name: 'cart', hash: 'bb', before: { hash: 'aa', version: 'v1' } }],
      spread: { sent: 3, inEffect: 1, recovered: 0, probes: { total: 0 } },
      nackedBy: [{ nodeId: 'node of b' }],
      stuck: [{ nodeId: 'node of c' }, { nodeId: 'node of p' }, { nodeId: 'node of d' }],
    });
  });

  it('counts a push as NACKed after the client has accepted a later one', async () => {
    const later = { clientId: 'b', version: 'v3', hash: 'cc' };
    for (const one of [sent({ ...later, at: t0 + 20_000 }), acked({ ...later, at: t0 + 20_004 })])
      recorder.append({ observation: one, bodies: [] });
    const { items } = recentConvergence.parse(await api.recent(newest));
    const v2 = items.find(({ subject }) => subject.version === 'v2');
    expect(v2).toMatchObject({ spread: { accepted: 1, recovered: 1 }, nackedBy: [{ clientId: 'b' }] });
    expect(v2?.p99).toBeUndefined();
    const { clients: found } = await find({ version: 'v2' });
    expect(found.find(({ clientId }) => clientId === 'b')).toMatchObject({
      ...{ kind: 'rejected', answer: 'NACKED', text: 'cart: no such policy' },
      ...{ sentAt: t0 + 10_000, answeredAt: t0 + 10_006 },
      ...{ recoveredAt: t0 + 20_004, inEffectAt: undefined },
      before: { version: 'v1' },
    });
  });
});

describe('GET convergence/recent of two servers', () => {
  it('lists the pushes of each server, although both use the same versions', async () => {
    const other = { clientId: 'w', version: 'v2', hash: 'ee', name: 'still', server: '' };
    for (const one of [
      opened('w', t0 + 20_000),
      sent({ ...other, at: t0 + 20_001 }),
      acked({ ...other, at: t0 + 20_002 }),
    ])
      recorder.append({ observation: one, bodies: [] });
    const { items } = recentConvergence.parse(await api.recent(newest));
    expect(items.map(({ names, subject }) => [names[0], subject.server])).toEqual([
      ['still', 'tap:1'],
      ['cart', 'cp'],
      ['cart', 'cp'],
    ]);
  });
});

describe('GET churn', () => {
  it('counts what was sent in the last hour, and lists the resources with the most changes', async () => {
    const reported = churn.parse(await new ChurnApi({ recorder, clock, convergence: reader }).find({}));
    expect(reported).toMatchObject({
      bucketMs: 30_000,
      read: 8,
      notes: [],
    });
    expect(reported.types).toMatchObject([{ service: 'CDS', bytes: 700, responses: 7 }]);
    expect(reported.resources).toMatchObject([{ name: 'cart', changes: 1, contents: 2 }]);
  });

  it('notes that the log begins later only if the range was requested', async () => {
    const api = new ChurnApi({ recorder, clock, convergence: reader });
    await recorder.flushed();
    const { oldestAt } = recorder.stats();
    if (oldestAt === undefined) throw new Error('expected a log');
    const notesOf = async (from: number) => (await api.find({ from })).notes;
    expect(await notesOf(oldestAt)).toEqual([]);
    expect(await notesOf(oldestAt - 1_800_000)).toEqual([
      'The log starts after the beginning of this time range.',
    ]);
  });

  it('counts for one client, and rejects a time range that ends before it begins', async () => {
    const api = new ChurnApi({ recorder, clock, convergence: reader });
    expect((await api.find({ client: 'd' })).types).toMatchObject([{ responses: 1 }]);
    const query = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    await expect(api.find(churnQuery.parse(query))).rejects.toThrow('from: expected a time before to');
  });
});
