import { expect, it } from 'vitest';
import { clusterLoad, localityLoad } from '../../../support/builders/load-samples';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../../support/builders/topology-mesh';
import { startClientStory } from '../../../support/client-story';

const zones = (...hosts: readonly (readonly string[])[]) =>
  hosts.map((own, at) => ({ zone: 'ab'[at] ?? '', endpoints: own }));
const pair = ['10.0.0.1:80', '10.0.0.2:80'] as const;
const all = '10.0.0.3:80';

/** What the views of a gRPC client state whose requests to the zones of `cart` failed, or succeeded. */
async function stateOf(
  hosts: readonly (readonly string[])[],
  ...reports: readonly (readonly [zone: string, successful: number, errors: number])[]
) {
  const { api, clock, failover, observe, reportLoad } = await startClientStory();
  const members = endpoints('cart', zones(...hosts));
  observe([apiListener('shop', { rds: 'r' }), routeConfig('r', { '': 'cart' }), edsCluster('cart'), members]);
  await reportLoad([
    clusterLoad(
      reports.map(([zone, successful, errors]) => {
        const counts = { successful: String(successful), errors: String(errors) };
        return localityLoad(zone, counts);
      }),
    ),
  ]);
  clock.advance(1_000);
  const config = await api.find('c', {});
  const { nodes = [] } = (await api.graph('c', {})) ?? {};
  const { notes, priorities } = await failover.simulate({ client: 'c', cluster: 'cart', seconds: 0 });
  const [item] = config?.clusters.items ?? [];
  const cluster = nodes.find(({ kind }) => kind === 'cluster');
  return {
    config: `${item?.status}: ${item?.error || item?.resolutionNote}`,
    endpoints: item?.priorities.flatMap(({ localities }) =>
      localities.flatMap((each) =>
        each.endpoints.map(({ address, reason }) => `${address} ${reason}`.trim()),
      ),
    ),
    cluster: cluster?.below?.text,
    listener: nodes.find(({ kind }) => kind === 'listener')?.below?.text,
    localities: nodes.flatMap(({ kind, name, status }) => (kind === 'locality' ? [`${name} ${status}`] : [])),
    note: notes.find((note) => note.includes('load reports')),
    failing: priorities.flatMap(({ localities }) => localities.map(({ isFailing = false }) => isFailing)),
  };
}

const failed = 'every request of the last minute';

it('a cluster to which every request failed, by load reports, fails in every view', async () => {
  expect(await stateOf([pair], ['a', 0, 20])).toMatchObject({
    config: `error: ${failed} failed, by load reports`,
    // Load reports count the requests to a locality.
    endpoints: [...pair],
    cluster: `${failed} failed, by load reports`,
    listener: `cluster cart: ${failed} failed, by load reports`,
    localities: ['eu / a UNHEALTHY'],
    note: `${failed} failed, by load reports`,
    failing: [true],
  });
});

it('a locality to which every request failed is named, and the cluster does not fail', async () => {
  const note = `${failed} to locality eu / a (2 endpoints) failed, by load reports`;
  expect(await stateOf([pair, [all]], ['a', 0, 20], ['b', 20, 0])).toEqual({
    ...{ config: `ok: ${note}`, note, endpoints: [...pair, all] },
    ...{
      cluster: 'locality eu / a fails',
      listener: 'locality eu / a fails',
      localities: ['eu / a UNHEALTHY', 'eu / b NONE'],
    },
    failing: [true, false],
  });
});

it('the only endpoint of such a locality fails', async () => {
  expect(await stateOf([[all], pair], ['a', 0, 20], ['b', 20, 0])).toMatchObject({
    config: `ok: ${failed} to locality eu / a (1 endpoint) failed, by load reports`,
    endpoints: [`${all} every request to it has failed`, ...pair],
  });
});

it.each([
  ['some requests succeed', [['a', 1, 20]] as const, '20 of 21'],
  ['few requests are known', [['a', 0, 9]] as const, '9 of 9'],
  ['none failed', [['a', 20, 0]] as const, 'none of 20'],
])('nothing fails if %s', async (_, reports, counted) => {
  const note = `cluster "cart": ${counted} completed requests of the last 5 minutes failed, by load reports`;
  expect(await stateOf([pair], ...reports)).toMatchObject({
    ...{ config: 'ok: ', cluster: undefined, listener: undefined, note, failing: [false] },
  });
});

it('a locality in two priorities is not known to fail in either', async () => {
  const { api, clock, observe, reportLoad } = await startClientStory();
  const both = endpoints('cart', [
    { zone: 'a', endpoints: pair },
    { zone: 'a', endpoints: [all], priority: 1 },
  ]);
  observe([apiListener('shop', { rds: 'r' }), routeConfig('r', { '': 'cart' }), edsCluster('cart'), both]);
  await reportLoad([clusterLoad([localityLoad('a', { errors: '20' })])]);
  clock.advance(1_000);
  const { nodes = [] } = (await api.graph('c', {})) ?? {};
  expect(nodes.filter(({ kind, status }) => kind === 'locality' && status === 'UNHEALTHY')).toEqual([]);
  expect(nodes.find(({ kind }) => kind === 'cluster')?.below?.status).toBe('UNHEALTHY');
});
