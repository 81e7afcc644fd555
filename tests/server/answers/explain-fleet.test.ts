import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRequest } from '@/lib/explain/parse-request';
import type { ExplainRequest } from '@/lib/requests/request';
import { fleetExplanation } from '@/lib/views/explain/fleet-schema';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';
import { openExplainedFleet } from '../../support/explained-fleet';
import { ManualClock } from '../../support/recorder-manual-clock';
import { tempDataDir } from '../../support/recorder-temp-dir';

function requestOf(text: string): ExplainRequest {
  const parsed = parseRequest(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.request;
}

const configOf = (cluster: string, address: string): MeshResource[] => [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '/shop.Cart/': cluster }),
  edsCluster(cluster),
  endpoints(cluster, [{ zone: 'z', endpoints: [address] }]),
];
const request = requestOf('shop.Cart/Add');

type Fleet = Awaited<ReturnType<typeof openExplainedFleet>>;
let fleet: Fleet;
let clock: ManualClock;
beforeAll(async () => {
  clock = new ManualClock();
  fleet = await openExplainedFleet({ dataDir: tempDataDir(), clock });
  for (const clientId of ['a1', 'a2', 'a3'])
    fleet.observe({ clientId, resources: configOf('cart', '10.0.0.1:1') });
  fleet.observe({ clientId: 'b', resources: configOf('cart', '10.0.0.2:1') });
  fleet.observe({ clientId: 'c', resources: configOf('cart-next', '10.0.0.3:1') });
});
afterAll(() => fleet.close());

describe('GET explain', () => {
  it('groups clients by outcome, whatever their routes and endpoints are, in the shape that is documented', async () => {
    const answer = fleetExplanation.parse(await fleet.explain({ request }));
    expect(answer).toMatchObject({ explained: 5, total: 5, isComplete: true, configs: 3, groupsTotal: 2 });
    expect(answer.groups.map(({ outcome, clients, configs }) => [outcome.cluster, clients, configs])).toEqual(
      [
        ['cart', 4, 2],
        ['cart-next', 1, 1],
      ],
    );
    expect(answer.groups[0]?.outcome.sentence).toBe('The request goes to cluster cart.');
    expect(answer.groups[0]?.someClients.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3', 'b']);
  });

  it('explains each config once, and a request that was asked before not again', async () => {
    const other = requestOf('shop.User/Get');
    const before = fleet.computed();
    const { groups } = await fleet.explain({ request: other });
    expect(fleet.computed() - before).toBe(3);
    expect(groups.map(({ outcome, clients }) => [outcome.grpcCode, clients])).toEqual([['UNAVAILABLE', 5]]);
    fleet.observe({ clientId: 'a4', resources: configOf('cart', '10.0.0.1:1') });
    const { groups: later, total } = await fleet.explain({ request: other });
    expect(fleet.computed() - before).toBe(3);
    expect([total, later[0]?.clients]).toEqual([6, 6]);
  });

  it('states what would become of the request where no client is known to run the config', async () => {
    fleet.observe({ clientId: 'sent', side: 'control-plane', resources: configOf('cart', '10.0.0.1:1') });
    const { groups } = await fleet.explain({ request });
    const own = groups.find(({ someClients }) => someClients.some(({ id }) => id === 'sent'));
    expect(own?.outcome.sentence).toMatch(/^The request would /);
    expect(own?.clients).toBe(1);
  });

  it('does not take a client whose update was rejected for one with the same names and bodies', async () => {
    const resources = configOf('cart', '10.0.0.1:1').map((each) =>
      each.name === 'r' ? { ...each, clientStatus: 'NACKED' as const, body: undefined } : each,
    ) as MeshResource[];
    fleet.observe({ clientId: 'rejects', resources });
    const { groups } = await fleet.explain({ request });
    const own = groups.find(({ someClients }) => someClients.some(({ id }) => id === 'rejects'));
    expect(own).toMatchObject({ clients: 1, outcome: { kind: expect.not.stringMatching('forwarded') } });
  });

  it('lists the clients of one group in pages, and those that a filter selects', async () => {
    const { groups } = await fleet.explain({ request, q: 'a' });
    const [first] = groups;
    const { chosen } = await fleet.explain({ request, q: 'a', group: first?.id, offset: 1, limit: 2 });
    expect(chosen).toMatchObject({ id: first?.id, offset: 1, total: first?.clients });
    expect(chosen?.items.map(({ id }) => id)).toEqual(['a2', 'a3']);
    expect(await fleet.explain({ request, q: 'b' })).toMatchObject({ total: 1 });
    const { problems, chosen: none } = await fleet.explain({ request, q: 'nokey=1', group: '0' });
    expect([problems.length, none]).toEqual([1, undefined]);
  });

  it('answers for a moment of the past, at which other clients were there', async () => {
    fleet.observe({ clientId: 'mover', resources: configOf('cart-next', '10.0.0.3:1') });
    const before = new Date(clock.now()).toISOString();
    clock.advance(1_000);
    fleet.observe({ clientId: 'later', resources: configOf('cart', '10.0.0.9:1') });
    fleet.observe({ clientId: 'mover', resources: configOf('cart', '10.0.0.3:1') });
    await fleet.recorder.flushed();
    const count = ({ groups }: Awaited<ReturnType<Fleet['explain']>>) =>
      groups.map(({ outcome, clients }) => [outcome.cluster, clients]);
    const now = await fleet.explain({ request, q: 'mover' });
    expect(count(now)).toEqual([['cart', 1]]);
    const then = fleetExplanation.parse(await fleet.explain({ request, q: 'mover', at: before }));
    expect(count(then)).toEqual([['cart-next', 1]]);
    expect(then).toMatchObject({ moment: { unreported: 0, incomplete: 0 }, at: clock.now() - 1_000 });
    const absent = await fleet.explain({ request, q: 'later', at: before });
    expect(absent).toMatchObject({ total: 1, explained: 0, moment: { unreported: 1 }, groups: [] });
    const future = new Date(clock.now() + 1_000).toISOString();
    await expect(fleet.explain({ request, at: future })).rejects.toThrow(/not after now/);
  });
});
