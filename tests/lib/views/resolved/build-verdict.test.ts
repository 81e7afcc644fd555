import { describe, expect, it } from 'vitest';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { buildVerdict } from '@/lib/views/resolved/build-verdict';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { Profile } from '@/lib/xds/profile';
import { LDS, RDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';

const cart = [
  edsCluster('cart'),
  endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]),
] as const satisfies readonly MeshResource[];

function resolve(resources: readonly MeshResource[], profile: Profile = 'core-1.56'): Resolved {
  const resolver = resolverOver(resources, { profile });
  const { kind, address, authority } = resolver.listener;
  return {
    clientId: 'a',
    at: Date.parse('2026-01-01T00:00:00.000Z'),
    revision: '1',
    profile,
    starts: [],
    startsTotal: 0,
    start: { listener: 'shop', authority, kind, address },
    ...buildResolved(resolver, profile, { offset: 0, limit: 10, find: '', endpoints: 0 }),
  };
}
const verdictOn = (resources: readonly MeshResource[]) => buildVerdict(resolve(resources));

describe('buildVerdict', () => {
  it('leads from the listener to the clusters when all is resolved', () => {
    const verdict = verdictOn([
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '/': 'cart' }),
      ...cart,
    ]);
    expect(verdict).toMatchObject({ shape: 'HEALTHY', word: 'Resolved', text: '1 cluster', effect: '' });
    expect(verdict.steps.map(({ noun, name, resource }) => [noun, name, resource?.typeUrl])).toEqual([
      ['listener', 'shop', LDS.typeUrl],
      ['route configuration', 'routes', RDS.typeUrl],
      ['virtual host', 'default', RDS.typeUrl],
    ]);
  });

  it('states what a config would do that no client is known to run', () => {
    const mesh = [apiListener('shop', { rds: 'routes' }), routeConfig('routes', { '/': 'cart' }), ...cart];
    const verdictOf = (resources: readonly MeshResource[]) =>
      buildVerdict({ ...resolve(resources), noClient: 'no client is known to run it' });
    expect(verdictOf(mesh)).toMatchObject({
      ...{
        shape: 'UNKNOWN',
        word: 'Would resolve',
        text: '1 cluster',
        effect: 'No client is known to run it.',
      },
    });
    expect(verdictOf(mesh.slice(0, 2)).word).toBe('Would wait');
    const gone: MeshResource = { typeUrl: RDS.typeUrl, name: 'routes', clientStatus: 'DOES_NOT_EXIST' };
    expect(verdictOf([mesh[0] as MeshResource, gone])).toMatchObject({ shape: 'NACKED', word: 'Would fail' });
  });

  it('counts failing clusters, and states that others are not affected', () => {
    const gone: MeshResource = { ...edsCluster('gone'), body: undefined, clientStatus: 'DOES_NOT_EXIST' };
    const routes = routeConfig('routes', { '/cart': 'cart', '/': 'gone' });
    const verdict = verdictOn([apiListener('shop', { rds: 'routes' }), routes, ...cart, gone]);
    expect(verdict).toMatchObject({ shape: 'DEGRADED', text: '2 clusters, 1 of them fails' });
    expect(verdict.effect).toMatch(/UNAVAILABLE; other clusters are not affected\.$/);
  });

  it('names three missing resources, and counts the others', () => {
    const routes = routeConfig('routes', { '/1': 'a', '/2': 'b', '/3': 'c', '/4': 'd', '/5': 'e' });
    const resources = [apiListener('shop', { rds: 'routes' }), routes];
    expect(verdictOn(resources)).toMatchObject({
      shape: 'TIMEOUT',
      word: 'Waits',
      text: 'for 5 resources: CDS a, CDS b, CDS c and 2 more',
    });
    expect(verdictOn(resources).effect).toContain('A74');
    // Envoy does not wait for clusters that routes name.
    expect(buildVerdict(resolve(resources, 'envoy-1.40'))).toMatchObject({
      shape: 'DEGRADED',
      text: '5 clusters, 5 of them fail',
      effect: 'Requests to a cluster that fails are answered with an error.',
    });
    expect(buildVerdict(resolve(resources.slice(0, 1), 'envoy-1.40')).effect).toContain('Envoy warms');
  });

  it('states of a TCP proxy that connections are closed', () => {
    const failing = resolve(
      [apiListener('shop', { rds: 'routes' }), routeConfig('routes', { '/1': 'a' })],
      'envoy-1.40',
    );
    const tcp = failing.chains.map((chain) => ({ ...chain, tcpClusters: [{ name: 'a', weight: 1 }] }));
    expect(buildVerdict({ ...failing, chains: tcp }).effect).toBe(
      'Requests to a cluster that fails are answered with an error, and connections that are proxied to it are closed.',
    );
    const only = tcp.map((chain) => ({ ...chain, routeConfigs: [], virtualHosts: [] }));
    expect(buildVerdict({ ...failing, chains: only })).toMatchObject({
      text: '1 cluster, which fails',
      effect: 'Every connection is closed.',
    });
    const byStatus = { ...failing.clusters.byStatus, ok: 1 };
    expect(
      buildVerdict({ ...failing, chains: only, clusters: { ...failing.clusters, byStatus } }).effect,
    ).toMatch(/^Connections that are proxied to a cluster that fails are closed; other/);
  });

  it('contains the reason of an error, and its effect on RPCs', () => {
    const gone: MeshResource = { typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST' };
    const verdict = verdictOn([gone]);
    expect(verdict).toMatchObject({ shape: 'NACKED', word: 'Error', effect: 'RPCs fail with UNAVAILABLE.' });
    expect(verdict.text).toMatch(/shop.*does not exist/);
  });

  it('states no effect on RPCs of the listener of an Envoy, which answers with a status', () => {
    const gone: MeshResource = { typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST' };
    expect(buildVerdict(resolve([gone], 'envoy-1.40'))).toMatchObject({ word: 'Error', effect: '' });
  });

  it('has nothing to resolve for a client without a listener', () => {
    const nothing: Resolved = { ...resolve([]), status: 'nothing', start: undefined, missing: [] };
    expect(buildVerdict(nothing)).toMatchObject({ shape: 'UNKNOWN', word: 'Nothing to resolve' });
  });

  it('counts several filter chains', () => {
    const one = resolve([
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '/': 'cart' }),
      ...cart,
    ]);
    const several = { ...one, chains: [...one.chains, ...one.chains] };
    expect(buildVerdict(several).steps.map(({ noun }) => noun)).toEqual(['listener', '2 filter chains']);
  });

  it('states no status for RPCs that a filter ends', () => {
    const absent = resolve([{ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST' }]);
    expect(buildVerdict(absent).effect).toBe('RPCs fail with UNAVAILABLE.');
    const filter = {
      name: 'fault',
      typeName: '',
      use: 'used',
      reason: '',
      denied: 'aborts every request',
    } as const;
    const chain = {
      ...{ name: '', match: '', routeConfigs: [], virtualHosts: [], virtualHostsTotal: 0 },
      ...{ httpFilters: [filter], conditions: [], networkFilters: [], tcpClusters: [], secrets: [] },
    };
    expect(buildVerdict({ ...absent, chains: [chain] }).effect).toBe('RPCs fail.');
  });

  it('states the failing channel that the client reports, unless the config states an error', () => {
    const failing = {
      channelFailure: 'every RPC fails: the channel to xds:///shop reports TRANSIENT_FAILURE',
    };
    const effect = 'Every RPC fails: the channel to xds:///shop reports TRANSIENT_FAILURE';
    const waiting = resolve([{ typeUrl: LDS.typeUrl, name: 'shop' }]);
    expect(buildVerdict({ ...waiting, ...failing })).toMatchObject({
      shape: 'NACKED',
      word: 'Waits',
      effect,
    });
    const absent = resolve([{ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST' }]);
    expect(buildVerdict({ ...absent, ...failing })).toEqual(buildVerdict(absent));
  });
});
