import { describe, expect, it } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { markTopology } from '@/lib/views/graph/mark-topology';
import type { Profile } from '@/lib/xds/profile';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const inline = {
  name: 'own',
  virtualHosts: [
    {
      name: 'other',
      domains: ['other'],
      routes: [{ match: { prefix: '' }, route: { cluster: 'elsewhere' } }],
    },
    {
      name: 'mine',
      domains: ['shop'],
      routes: [
        { match: { prefix: '', queryParameters: [{ name: 'q' }] }, route: { cluster: 'cart' } },
        { match: { prefix: '' }, route: { cluster: 'all' } },
      ],
    },
  ],
};
const mesh: readonly MeshResource[] = [
  apiListener('shop', { inline }),
  apiListener('admin', { rds: 'admin-routes' }),
  routeConfig('admin-routes', { '': 'admin' }),
  aggregateCluster('all', ['cart', 'gone', 'late']),
  edsCluster('cart'),
  edsCluster('admin'),
  { typeUrl: CDS.typeUrl, name: 'gone', clientStatus: 'DOES_NOT_EXIST' },
  endpoints('cart', [
    { zone: 'b', weight: 0, endpoints: ['10.0.0.3:1'] },
    { zone: 'a', endpoints: ['10.0.0.2:1 UNHEALTHY', '10.0.0.1:1'] },
  ]),
  { typeUrl: EDS.typeUrl, name: 'admin' },
];

function marksOf(profile: Profile): Record<string, string> {
  const topology = buildTopology(topologyInput(mesh));
  const marks = markTopology(topology, resolverOver(mesh, { profile }), profile);
  expect([...marks.keys()].sort()).toEqual(topology.nodes.map(({ id }) => id).sort());
  return Object.fromEntries([...marks].map(([id, { use }]) => [id, use]));
}

describe('markTopology', () => {
  it('marks used, ignored and missing parts of a target; other parts are unused', () => {
    const own = 'listener:shop>inline own';
    expect(marksOf('core-1.56')).toMatchObject({
      'listener:shop': 'used',
      'listener:admin': 'unused',
      [own]: 'used',
      [`${own}>other`]: 'unused',
      [`${own}>other>every path`]: 'unused',
      [`${own}>mine`]: 'used',
      [`${own}>mine>every path, query q present`]: 'ignored',
      [`${own}>mine>every path`]: 'used',
      'cluster:all': 'used',
      'cluster:cart': 'used',
      'cluster:gone': 'dangling',
      'cluster:late': 'dangling',
      'cluster:elsewhere': 'unused',
      'cluster:admin': 'unused',
      'endpoints:cart>P0': 'used',
      'endpoints:cart>P0>eu / a': 'used',
      'endpoints:cart>P0>eu / a>10.0.0.1:1': 'used',
      'endpoints:cart>P0>eu / a>10.0.0.2:1': 'ignored',
      'endpoints:cart>P0>eu / b': 'ignored',
      'endpoints:cart>P0>eu / b>10.0.0.3:1': 'ignored',
      'endpoints:admin': 'unused',
    });
  });

  it('follows the profile', () => {
    const envoy = marksOf('envoy-1.40');
    expect(envoy['listener:shop>inline own>mine>every path, query q present']).toBe('used');
    expect(envoy['endpoints:cart>P0>eu / b']).toBe('used');
  });

  it('marks DNS names as used', () => {
    const address = { socketAddress: { address: 'cart.local', portValue: 80 } };
    const loadAssignment = { endpoints: [{ lbEndpoints: [{ endpoint: { address } }] }] };
    const body = { name: 'cart', type: 'LOGICAL_DNS', loadAssignment };
    const dns = [
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': 'cart' }),
      { typeUrl: CDS.typeUrl, name: 'cart', body },
      { typeUrl: CDS.typeUrl, name: 'other', body: { ...body, name: 'other' } },
    ];
    const topology = buildTopology(topologyInput(dns));
    const marks = markTopology(topology, resolverOver(dns), 'core-1.56');
    const usesOf = (name: string) =>
      topology.nodes
        .filter(({ typeUrl, resourceName }) => typeUrl === CDS.typeUrl && resourceName === name)
        .map(({ id, kind }) => [kind, marks.get(id)?.use]);
    expect(usesOf('cart')).toEqual([
      ['cluster', 'used'],
      ['priority', 'used'],
      ['locality', 'used'],
      ['endpoint', 'used'],
    ]);
    expect(new Set(usesOf('other').map(([, use]) => use))).toEqual(new Set(['unused']));
  });
});

describe('the mark of a listener', () => {
  const shopMarks = (resources: readonly MeshResource[], channelFailure?: string) => {
    const topology = buildTopology(topologyInput(resources));
    return markTopology(topology, resolverOver(resources), 'core-1.85', channelFailure).get('listener:shop');
  };
  const absent = { typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST' } as const;
  const awaited = { typeUrl: LDS.typeUrl, name: 'shop' };

  it('states why it is not in use', () => {
    expect(shopMarks([absent])).toEqual({ use: 'ignored', reason: 'listener "shop" does not exist' });
    expect(shopMarks([awaited])).toEqual({ use: 'dangling', reason: 'requested; no response yet' });
  });

  it('states the failing channel that the client reports', () => {
    expect(shopMarks([awaited], 'every RPC fails')?.reason).toBe(
      'every RPC fails; requested; no response yet',
    );
    expect(shopMarks(mesh, 'every RPC fails')).toEqual({ use: 'used', reason: 'every RPC fails' });
  });
});
