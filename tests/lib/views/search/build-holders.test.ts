import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { buildHolders } from '@/lib/views/search/build-holders';
import { CDS } from '@/lib/xds/resource-type';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../../support/builders/observation-samples';

const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;
const key = { typeUrl: CDS.typeUrl, name: 'payment-v1' };
const report = (clientId: string, overrides: Parameters<typeof sampleResource>[0]): Observation =>
  sampleReport({ clientId, node: sampleNode(clientId), changed: [sampleResource(overrides)] });

const world: World = new Map();
for (const observation of numbered([
  report('web-2', { ...key, versionInfo: '7' }),
  report('web-10', { ...key, versionInfo: '8', hash: 'bb', changedAt: 500_000 }),
  report('mobile', {
    ...key,
    clientStatus: 'NACKED',
    hash: null,
    versionInfo: '',
    errorState: { details: 'no hosts', versionInfo: '9', lastUpdateAttempt: null, failedHash: null },
  }),
  report('gone', { ...key, clientStatus: 'DOES_NOT_EXIST', hash: null, versionInfo: '' }),
  sampleReport({
    ...{ clientId: 'probe', node: sampleNode('a-probe'), vantage: 'probe', sourceId: 'p' },
    changed: [sampleResource({ ...key, hash: 'cc' })],
  }),
  report('other', { ...key, name: 'payment-v2' }),
]))
  foldObservation(world, observation);

const ask = (q = '', range = {}) =>
  runSteps(
    buildHolders(
      { clients: world.values(), freshnessOf, now: 600_000 },
      { ...key, q, offset: 0, limit: 10, ...range },
    ),
  );
const nodes = (q: string, range = {}) => ask(q, range).items.map(({ nodeId }) => nodeId);

it('lists the clients of a resource, the worst state first, with their versions and contents', () => {
  const { items, ...counts } = ask();
  expect(items).toMatchObject([
    { nodeId: 'mobile', state: 'NACKED', isHeld: false, error: 'no hosts' },
    { nodeId: 'gone', state: 'DOES_NOT_EXIST', isHeld: false },
    { nodeId: 'web-2', state: 'ACKED', isHeld: true, versionInfo: '7', hash: 'aa', freshness: 'live' },
    { nodeId: 'web-10', state: 'ACKED', isHeld: true, versionInfo: '8', hash: 'bb' },
    { nodeId: 'a-probe', isProbe: true },
  ]);
  expect(counts).toEqual({
    ...key,
    service: 'CDS',
    offset: 0,
    clients: 4,
    holders: 2,
    probes: 1,
    matched: 5,
    states: [
      { state: 'NACKED', count: 1 },
      { state: 'DOES_NOT_EXIST', count: 1 },
      { state: 'ACKED', count: 2 },
    ],
    contents: [
      { hash: 'aa', clients: 1 },
      { hash: 'bb', clients: 1 },
    ],
    problems: [],
  });
});

it.each([
  ['web', ['web-2', 'web-10']],
  ['status=NACKED', ['mobile']],
  ['version!=7 status=ACKED node~web', ['web-10']],
  ['hash~b', ['web-10']],
  ['error~hosts', ['mobile']],
  ['since=2m', ['web-10']],
  ['node=web-2', ['web-2']],
])('filters by %s', (q, expected) => {
  expect(nodes(q)).toEqual(expected);
});

it('pages', () => {
  expect(nodes('', { offset: 1, limit: 2 })).toEqual(['gone', 'web-2']);
});

it('has no clients for a resource that nobody has', () => {
  expect(ask('', { name: 'nothing' })).toMatchObject({ items: [], clients: 0, holders: 0, states: [] });
});
