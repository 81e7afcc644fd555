import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clustersThatDiffer, findFailingEndpoints } from '@/lib/facts/failing-endpoints';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import type { Connection } from '@/lib/observation/connection';
import { errorOfCluster, statusOfCluster } from '@/lib/resolve/xds-config';
import { reportAll, resolverOver } from '../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  routeConfig,
} from '../../support/builders/topology-mesh';

const hosts = ['10.0.0.1:1', '10.0.0.2:1'] as const;
const mesh = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '/both': 'both', '': 'a' }),
  aggregateCluster('both', ['a', 'b']),
  edsCluster('a'),
  edsCluster('b'),
  endpoints('a', [{ zone: 'z', endpoints: [...hosts] }]),
  endpoints('b', [{ zone: 'z', endpoints: ['10.0.1.1:1'] }]),
];
const open = () => resolverOver(mesh);
const connection = (target: string, state: Connection['state'], cluster?: string): Connection => ({
  ...{ id: `${target} ${state}`, kind: 'subchannel', target, channels: [], state, since: 0 },
  ...(cluster !== undefined && { cluster }),
});
const failing = (...targets: string[]) =>
  findFailingEndpoints(targets.map((target) => connection(target, 'TRANSIENT_FAILURE')));
const stateOf = (resolver: ReturnType<typeof open>, name: string) => {
  const entry = resolver.findCluster(name);
  return entry && `${statusOfCluster(entry)} ${errorOfCluster(entry)}`.trim();
};

describe('endpoints to which the client cannot connect', () => {
  it('are those of which every connection fails', () => {
    const found = findFailingEndpoints([
      connection('a:1', 'TRANSIENT_FAILURE'),
      connection('a:1', 'READY'),
      connection('b:1', 'READY'),
      connection('b:1', 'TRANSIENT_FAILURE'),
      connection('c:1', 'CONNECT_FAILURE', 'x'),
      connection('c:1', 'HEALTHY', 'y'),
      { ...connection('d:1', 'TRANSIENT_FAILURE'), kind: 'channel' },
    ]);
    expect([...found]).toEqual(['x c:1']);
  });

  it('make requests to a cluster fail if there is no other, and to an aggregate if there is none in any leaf', () => {
    const resolver = open();
    resolver.setFailing(failing(hosts[0]));
    expect(stateOf(resolver, 'a')).toBe('ok');
    resolver.setFailing(failing(...hosts));
    expect(stateOf(resolver, 'a')).toBe(
      'error the client cannot connect to any of the 2 usable endpoints of EDS resource "a"',
    );
    expect(stateOf(resolver, 'both')).toBe('ok');
    expect(resolver.tally.error).toBe(1);
    resolver.setFailing(failing(...hosts, '10.0.1.1:1'));
    expect(stateOf(resolver, 'both')).toBe('error requests to each of its clusters fail (a, b)');
    expect(resolver.tally.error).toBe(3);
  });

  it('are dead in a simulation without changes', () => {
    const resolver = open();
    resolver.setFailing(failing(hosts[0]));
    const traffic = trafficOfCluster('a', 'core-1.85', (name) => resolver.findCluster(name));
    if (typeof traffic === 'string') throw new Error(traffic);
    const [moment] = playFailover(openSimulation(traffic.cluster), [], 0);
    expect(moment?.envoy.failing).toBe(0.5);
  });

  it('leave nothing behind when they can be connected to again', () => {
    const addresses = [...hosts, '10.0.1.1:1'];
    const resolver = open();
    const before = reportAll(resolver);
    fc.assert(
      fc.property(fc.array(fc.subarray(addresses), { maxLength: 4 }), (rounds) => {
        for (const round of rounds) resolver.setFailing(failing(...round));
        resolver.setFailing(failing());
        expect(reportAll(resolver)).toEqual(before);
      }),
    );
  });

  it('concern the clusters that they are reported of, or all', () => {
    const of = (...all: Connection[]) => findFailingEndpoints(all);
    const x = connection('a:1', 'CONNECT_FAILURE', 'x');
    expect(clustersThatDiffer(of(x), of(x))).toEqual(new Set());
    expect(clustersThatDiffer(of(x), of())).toEqual(new Set(['x']));
    expect(clustersThatDiffer(of(), failing('a:1'))).toBeNull();
  });
});
