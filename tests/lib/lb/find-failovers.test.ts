import { describe, expect, it } from 'vitest';
import { findFailovers } from '@/lib/lb/find-failovers';
import { profileOfWho, type Who } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { resolveResources } from '../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  shopOfCart,
} from '../../support/builders/topology-mesh';

/** P0 has three endpoints with these health statuses, P1 has one. */
function cart(...healths: string[]): MeshResource {
  return endpoints('cart', [
    { zone: 'a', endpoints: healths.map((health, at) => `10.0.0.${at + 1}:80 ${health}`) },
    { zone: 'b', priority: 1, endpoints: ['10.0.1.1:80'] },
  ]);
}

const withVersion = (version: string) => ({ filterMetadata: { 'envoy.lb': { version } } });

/** Two routes whose requests want these versions. */
function ofVersions(...versions: readonly string[]): MeshResource {
  const routes = versions.map((version, at) => ({
    match: { prefix: at === 0 ? '/first' : '/' },
    route: { cluster: 'cart', metadataMatch: withVersion(version) },
  }));
  const config = routeConfig('r', {});
  return { ...config, body: { name: 'r', virtualHosts: [{ name: 'all', domains: ['*'], routes }] } };
}

/** Each endpoint of cart() has version 1. */
function withVersions(...healths: string[]): MeshResource {
  const eds = cart(...healths);
  const body = JSON.parse(
    JSON.stringify(eds.body).replaceAll(
      '"endpoint":',
      `"metadata":${JSON.stringify(withVersion('1'))},"endpoint":`,
    ),
  ) as MeshResource['body'];
  return { ...eds, body };
}

const up = 'HEALTHY';
const down = 'UNHEALTHY';

function story(...updates: readonly (readonly MeshResource[])[]) {
  return storyOf('core', ...updates);
}

function storyOf(who: Who, ...updates: readonly (readonly MeshResource[])[]) {
  return storyOfRequests(who, undefined, updates);
}

function storyOfRequests(
  who: Who,
  requests: string | undefined,
  updates: readonly (readonly MeshResource[])[],
) {
  const steps = updates.map((changed, at) => ({ at, changed: resolveResources(changed), removed: [] }));
  const start = { listener: 'shop', authority: 'shop' };
  const profile = profileOfWho(who);
  return findFailovers({
    ...{ start, profile, grpcProfile: profile, cluster: undefined, requests },
    steps: () => steps,
  });
}

describe('findFailovers', () => {
  it('has no shares of Envoy where subsets decide them, and names the setting', () => {
    const subsets = { lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }] } };
    const mesh = [...shopOfCart, cart(up, up, up)].map((each) =>
      each.typeUrl === CDS.typeUrl ? { ...each, body: { ...each.body, ...subsets } } : each,
    );
    // A gRPC client with the config shows them as a comparison alone.
    for (const who of ['core', 'envoy'] as const) {
      const [period] = storyOf(who, who === 'core' ? mesh : [...mesh, ofVersions('1', '2')]).periods;
      expect(period?.envoy).toEqual([]);
      expect(period?.envoySentences[0]).toMatch(/shares are not known. lb_subset_config/);
    }
  });

  it('has the shares of the requests that find the same subset, as the routes change', () => {
    const subsets = { lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }] } };
    const mesh = [...shopOfCart, withVersions(up, up, up), ofVersions('1', '1')].map((each) =>
      each.typeUrl === CDS.typeUrl ? { ...each, body: { ...each.body, ...subsets } } : each,
    );
    const steps = [mesh, [ofVersions('1', '2')], [ofVersions('2', '2')]];
    const sharesOf = (requests?: string) =>
      storyOfRequests('envoy', requests, steps).periods.map(({ envoy }) => envoy);
    expect(sharesOf()).toEqual([[100, 0], [], [0, 0]]);
    expect(sharesOf('{"version":"1"}')).toEqual([[100, 0], []]);
  });

  it('reports which priority had the traffic in each period, and the cause of each spill, failover and return', () => {
    const { cluster, periods } = story(
      [...shopOfCart, cart(up, up, up)],
      [cart(up, down, down)],
      [cart(down, down, down)],
      [cart(up, up, up)],
    );
    expect(cluster).toBe('cart');
    expect(
      periods.map(({ turn, fromAt, toAt, grpc, envoy }) => [turn, fromAt, toAt, grpc, envoy.join('/')]),
    ).toEqual([
      ['first', 0, 1, 'P0', '100/0'],
      ['spill', 1, 2, 'P0', '46/54'],
      ['failover', 2, 3, 'P1', '0/100'],
      ['return', 3, undefined, 'P0', '100/0'],
    ]);
    expect(periods[2]?.grpcSentences).toEqual([
      'P0 is skipped: none of its 3 endpoints is usable: 3 unhealthy',
      'P1 gets all requests if it connects: its only endpoint is usable',
    ]);
    expect(periods[1]?.envoySentences[0]).toBe('P0 is 33% healthy; times 1.4 is 46%; the other 54% go to P1');
  });

  it('is about the cluster with the most priorities that have endpoints, unless another one is asked for', () => {
    const two = [
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '/one': 'a-single', '': 'cart' }),
      ...['a-single', 'cart'].map((name) => edsCluster(name)),
      endpoints('a-single', [{ zone: 'a', endpoints: ['10.0.2.1:80'] }]),
    ];
    expect(story([...two, cart(up)]).cluster).toBe('cart');
    expect(story([...two, cart()]).cluster).toBe('a-single');
  });

  it('starts for an aggregate when all leaves are present, because the client uses none of them before', () => {
    const far = endpoints('far', [{ zone: 'b', endpoints: ['10.0.1.1:80'] }]);
    const near = (health: string) => endpoints('near', [{ zone: 'a', endpoints: [`10.0.0.1:80 ${health}`] }]);
    const { periods } = story(
      [
        apiListener('shop', { rds: 'r' }),
        routeConfig('r', { '': 'all' }),
        aggregateCluster('all', ['near', 'far']),
      ],
      [edsCluster('near'), edsCluster('far'), near(up)],
      [far],
      [near(down)],
    );
    expect(periods.map(({ turn, fromAt, grpc }) => [turn, fromAt, grpc])).toEqual([
      ['first', 2, 'near P0'],
      ['failover', 3, 'far P0'],
    ]);
  });

  it('starts no period for a change that moves no traffic', () => {
    const { periods } = story(
      [...shopOfCart, cart(up, up, up)],
      [cart(up, up, up)],
      [routeConfig('r', { '/x': 'cart' })],
    );
    expect(periods).toHaveLength(1);
  });

  it('waits for endpoints that are not reported yet, and reports a loss for an empty list', () => {
    const { periods } = story(shopOfCart, [cart(up)], [endpoints('cart', [])]);
    expect(periods.map(({ turn, fromAt, toAt, envoy }) => [turn, fromAt, toAt, envoy.length])).toEqual([
      ['first', 1, 2, 2],
      ['lost', 2, undefined, 0],
    ]);
  });

  it('reports a loss when no endpoint is left', () => {
    const none = endpoints('cart', [{ zone: 'a', endpoints: [`10.0.0.1:80 ${down}`] }]);
    const { periods } = story(
      [...shopOfCart, endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }])],
      [none],
    );
    expect(periods.map(({ turn, grpc }) => [turn, grpc])).toEqual([
      ['first', 'P0'],
      ['lost', undefined],
    ]);
  });

  it('Java before 1.76 has no endpoint when EDS has none left', () => {
    const { periods } = storyOf('java-1.60', [...shopOfCart, cart(up)], [endpoints('cart', [])]);
    expect(periods.map(({ turn, grpc }) => [turn, grpc])).toEqual([
      ['first', 'P0'],
      ['lost', undefined],
    ]);
  });

  it('Java 1.76 and later keep their endpoints when EDS has none left', () => {
    const { periods } = storyOf('java-1.76', [...shopOfCart, cart(up)], [endpoints('cart', [])], [cart(up)]);
    expect(periods.map(({ turn, grpc, envoy }) => [turn, grpc, envoy.join('/')])).toEqual([
      ['first', 'P0', '100/0'],
      ['spill', 'P0', '0/0'],
      ['spill', 'P0', '100/0'],
    ]);
    expect(periods[1]?.grpcSentences[0]).toContain('EDS has no usable endpoint left');
  });

  it('reports nothing for a config without clusters', () => {
    expect(story([apiListener('shop', { rds: 'r' })])).toEqual({ periods: [] });
  });
});
