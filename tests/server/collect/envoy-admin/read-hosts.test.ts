import { describe, expect, it } from 'vitest';
import { readHosts } from '@/server/codec/dump-parser/read-hosts';
import { readListeners } from '@/server/codec/dump-parser/read-listeners';

const address = { socket_address: { address: '10.0.0.1', port_value: 80 } };
const read = (host: object) => readHosts([{ name: 'cart', host_statuses: [{ address, ...host }] }]).hosts[0];

describe('a host of /clusters', () => {
  it.each([
    [{ eds_health_status: 'HEALTHY' }, 'HEALTHY', false, ''],
    [{}, 'HEALTHY', false, ''],
    [{ eds_health_status: 'DRAINING' }, 'DRAINING', false, ''],
    [{ eds_health_status: 'TIMEOUT' }, 'UNHEALTHY', false, ''],
    [{ eds_health_status: 'HEALTHY', failed_outlier_check: true }, 'EJECTED', true, ''],
    [{ failed_active_health_check: true }, 'UNHEALTHY', true, 'excluded by active health checks'],
    [
      { failed_active_health_check: true, failed_outlier_check: true },
      ...(['EJECTED', true, 'excluded by active health checks and ejected by outlier detection'] as const),
    ],
    [{ failed_active_degraded_check: true }, 'DEGRADED', true, 'degraded by x-envoy-degraded'],
  ] as const)('%j: %s', (health_status, state, isMeasured, reason) => {
    expect(read({ health_status })).toMatchObject({ state, isMeasured, reason });
  });

  it('has its cluster, priority, locality and counts; what is missing is not reported', () => {
    const stats = [
      { name: 'cx_connect_fail', value: '3' },
      { name: 'rq_total', value: '1500' },
      { name: 'rq_success', value: '1400' },
      { name: 'rq_error', value: '100' },
      { type: 'GAUGE', name: 'cx_active' },
    ];
    const locality = { region: 'eu', zone: 'eu-1' };
    expect(read({ stats, locality, priority: 1, success_rate: { value: 93.5 } })).toMatchObject({
      ...{ id: 'host cart P1 eu/eu-1/ 10.0.0.1:80', cluster: 'cart', address: '10.0.0.1:80' },
      locality: { region: 'eu', zone: 'eu-1', subZone: '' },
      figures: {
        ...{ callsStarted: 1_500, callsSucceeded: 1_400, callsFailed: 100, openStreams: null },
        ofHost: {
          ...{ openConnections: 0, connections: null, failedConnections: 3, timeouts: null },
          successRate: 93.5,
        },
      },
    });
    expect(read({})).toMatchObject({ locality: null, figures: null });
  });

  it('is one of several with the same address, each with an id of its own', () => {
    const { hosts } = readHosts([{ name: 'cart', host_statuses: [{ address }, { address }] }]);
    expect(hosts.map(({ id }) => id)).toEqual(['host cart P0 10.0.0.1:80', 'host cart P0 10.0.0.1:80 #2']);
  });

  it('is left out beyond the limit, which is counted', () => {
    const host_statuses = Array.from({ length: 20_002 }, () => ({ address }));
    const { hosts, leftOut } = readHosts([{ name: 'cart', host_statuses }]);
    expect([hosts.length, leftOut]).toEqual([20_000, 2]);
  });
});

it('a listener of /listeners has all of its addresses', () => {
  const local_address = { socket_address: { address: '::', port_value: 443 } };
  const statuses = [
    { name: 'https', local_address, additional_local_addresses: [address] },
    { name: 'none' },
  ];
  expect(readListeners({ listener_statuses: statuses })).toEqual([
    { id: 'listener https [::]:443', name: 'https', address: '[::]:443' },
    { id: 'listener https 10.0.0.1:80', name: 'https', address: '10.0.0.1:80' },
  ]);
});
