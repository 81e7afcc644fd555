import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clustersThatDiffer, findFailing, findFailingTargets } from '@/lib/facts/failing-endpoints';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import type { Connection, ConnectionFigures } from '@/lib/observation/connection';
import { errorOfCluster, statusOfCluster } from '@/lib/resolve/xds-config';
import { EDS } from '@/lib/xds/resource-type';
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
  findFailing(targets.map((target) => connection(target, 'TRANSIENT_FAILURE')));
const stateOf = (resolver: ReturnType<typeof open>, name: string) => {
  const entry = resolver.findCluster(name);
  return entry && `${statusOfCluster(entry)} ${errorOfCluster(entry)}`.trim();
};

describe('endpoints to which the client cannot connect', () => {
  it('are those of which every connection fails', () => {
    const found = findFailing([
      connection('a:1', 'TRANSIENT_FAILURE'),
      connection('a:1', 'READY'),
      connection('b:1', 'READY'),
      connection('b:1', 'TRANSIENT_FAILURE'),
      connection('c:1', 'CONNECT_FAILURE', 'x'),
      connection('c:1', 'HEALTHY', 'y'),
      { ...connection('d:1', 'TRANSIENT_FAILURE'), kind: 'channel' },
    ]);
    expect([...found.endpoints]).toEqual([['x c:1', 'connection']]);
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

  it('count among all endpoints while Envoy sends requests to hosts that are not healthy', () => {
    const resolver = resolverOver(
      [
        apiListener('shop', { rds: 'r' }),
        routeConfig('r', { '': 'a' }),
        edsCluster('a'),
        endpoints('a', [{ zone: 'z', endpoints: hosts.map((host) => `${host} UNHEALTHY`) }]),
      ],
      { profile: 'envoy' },
    );
    const panic =
      'EDS resource "a" has no healthy endpoint (2 UNHEALTHY), so that Envoy uses all of them (panic threshold 50%)';
    resolver.setFailing(failing(hosts[0]));
    expect(stateOf(resolver, 'a')).toBe('ok');
    resolver.setFailing(failing(...hosts));
    expect(stateOf(resolver, 'a')).toBe(
      `error ${panic}; the client cannot connect to any of the 2 endpoints`,
    );
  });

  it('are dead in a simulation without changes', () => {
    const resolver = open();
    resolver.setFailing(failing(hosts[0]));
    const traffic = trafficOfCluster('a', 'core-1.85', (name) => resolver.findCluster(name));
    if (typeof traffic === 'string') throw new Error(traffic);
    const [moment] = playFailover(openSimulation(traffic.cluster), [], 0);
    expect(moment?.envoy.failing).toBe(0.5);
  });

  it('fail the requests that an Envoy in panic sends to unhealthy ones', () => {
    const unhealthy = endpoints('a', [{ zone: 'z', endpoints: hosts.map((each) => `${each} UNHEALTHY`) }]);
    const resources = mesh.map((each) =>
      each.name === 'a' && each.typeUrl === EDS.typeUrl ? unhealthy : each,
    );
    const outcomeOf = (...targets: string[]) => {
      const resolver = resolverOver(resources, { profile: 'envoy' });
      resolver.setFailing(failing(...targets));
      const traffic = trafficOfCluster('a', 'core-1.85', (name) => resolver.findCluster(name));
      if (typeof traffic === 'string') throw new Error(traffic);
      const [moment] = playFailover(openSimulation(traffic.cluster), [], 0);
      const { failing: fails, toUnhealthy } = moment?.envoy ?? {};
      return { status: stateOf(resolver, 'a')?.split(' ')[0], fails, toUnhealthy };
    };
    expect(outcomeOf()).toEqual({ status: 'ok', fails: 0, toUnhealthy: 1 });
    expect(outcomeOf(hosts[0])).toEqual({ status: 'ok', fails: 0.5, toUnhealthy: 0.5 });
    expect(outcomeOf(...hosts)).toEqual({ status: 'error', fails: 1, toUnhealthy: 0 });
  });

  it('are named where an Envoy in panic uses them beside a healthy one', () => {
    const addresses = [hosts[0], `${hosts[1]} UNHEALTHY`, '10.0.0.3:1 UNHEALTHY'];
    const some = endpoints('a', [{ zone: 'z', endpoints: addresses }]);
    const resources = mesh.map((each) => (each.name === 'a' && each.typeUrl === EDS.typeUrl ? some : each));
    const resolver = resolverOver(resources, { profile: 'envoy' });
    resolver.setFailing(failing(hosts[1], '10.0.0.3:1'));
    expect(stateOf(resolver, 'a')).toBe('ok');
    expect(resolver.findCluster('a')?.config).toMatchObject({
      value: {
        children: {
          use: { usable: 1, panicThreshold: 50 },
          resolutionNote: expect.stringContaining('cannot connect to 2 of the 3 endpoints'),
        },
      },
    });
  });

  it('include a host of an Envoy of which every connection failed, whatever its health, and one that fails every request', () => {
    const host = (figures: Partial<ConnectionFigures>): Connection => ({
      ...connection('a:1', 'UNHEALTHY', 'x'),
      kind: 'host',
      figures: {
        ...{ callsStarted: 0, callsSucceeded: 0, callsFailed: 0 },
        ...{ lastCallStartedAt: null, openStreams: null, callsPerSecond: null },
        ...figures,
      },
    });
    const ofHost = { openConnections: 0, timeouts: 0, successRate: null };
    const failureOf = (figures: Partial<ConnectionFigures>) => [
      ...findFailing([host(figures)]).endpoints.values(),
    ];
    expect(failureOf({ ofHost: { ...ofHost, connections: 3, failedConnections: 3 } })).toEqual([
      'connection',
    ]);
    expect(failureOf({ ofHost: { ...ofHost, connections: 3, failedConnections: 2 } })).toEqual([]);
    expect(failureOf({ ofHost: { ...ofHost, connections: 0, failedConnections: 0 } })).toEqual([]);
    expect(failureOf({ callsStarted: 12, callsFailed: 12 })).toEqual(['requests']);
    expect(failureOf({ callsStarted: 12, callsFailed: 11, callsSucceeded: 1 })).toEqual([]);
    expect(failureOf({ callsStarted: 2, callsFailed: 2 })).toEqual([]);
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
    const of = (...all: Connection[]) => findFailing(all);
    const x = connection('a:1', 'CONNECT_FAILURE', 'x');
    expect(clustersThatDiffer(of(x), of(x))).toEqual(new Set());
    expect(clustersThatDiffer(of(x), of())).toEqual(new Set(['x']));
    expect(clustersThatDiffer(of(), failing('a:1'))).toBeNull();
  });
});

describe('targets whose channels fail', () => {
  it('are those of which every channel is in TRANSIENT_FAILURE, with the error that is reported', () => {
    const channel = (target: string, state: Connection['state'], lastError?: string): Connection => ({
      ...connection(target, state),
      ...{ kind: 'channel', ...(lastError !== undefined && { lastError }) },
    });
    const found = findFailingTargets([
      channel('xds:///a', 'TRANSIENT_FAILURE', 'no endpoints'),
      channel('xds:///b', 'TRANSIENT_FAILURE'),
      channel('xds:///c', 'TRANSIENT_FAILURE'),
      channel('xds:///c', 'READY'),
      channel('xds:///d', 'IDLE'),
      channel('xds:///d', 'TRANSIENT_FAILURE'),
      connection('10.0.0.1:1', 'TRANSIENT_FAILURE'),
    ]);
    expect([...found]).toEqual([
      ['xds:///a', 'no endpoints'],
      ['xds:///b', ''],
    ]);
  });
});
