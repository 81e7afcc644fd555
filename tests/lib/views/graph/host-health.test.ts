import { expect, it } from 'vitest';
import { hostHealthTypeUrl, listHosts } from '@/lib/model/host-health';
import { parseResource } from '@/lib/model/parse-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { resourceRow } from '@/tests/support/builders/resource-row';

const address = (host: string) => ({ socketAddress: { address: host, portValue: 80 } });
const hosts = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
const bodies = new Map<string, unknown>([
  [
    'cds',
    { name: 'orders', type: 'EDS', edsClusterConfig: { serviceName: 'orders-eds', edsConfig: { ads: {} } } },
  ],
  [
    'eds',
    {
      clusterName: 'orders-eds',
      endpoints: [
        {
          locality: { region: 'eu' },
          loadBalancingWeight: 1,
          lbEndpoints: hosts.map((host) => ({
            endpoint: { address: address(host) },
            healthStatus: 'HEALTHY',
          })),
        },
      ],
    },
  ],
  [
    'hosts',
    {
      name: 'orders',
      edsServiceName: 'orders-eds',
      hostStatuses: [
        { address: address('10.0.0.1'), healthStatus: { edsHealthStatus: 'HEALTHY' } },
        {
          address: address('10.0.0.2'),
          healthStatus: {
            failedActiveHealthCheck: true,
            failedOutlierCheck: true,
            edsHealthStatus: 'HEALTHY',
          },
        },
        { address: address('10.0.0.3'), healthStatus: { failedActiveDegradedCheck: true } },
      ],
    },
  ],
]);

function endpointsOf(rows: readonly ResourceRow[]) {
  const { nodes } = buildTopology({
    rows,
    modelOf: (hash, typeUrl) => parseResource(typeUrl, bodies.get(hash)),
  });
  return {
    cluster: nodes.find(({ kind }) => kind === 'cluster')?.detail,
    endpoints: nodes.filter(({ kind }) => kind === 'endpoint').map(({ status, detail }) => [status, detail]),
  };
}

it('shows endpoints with the health that Envoy reports and its reason, or else with that of EDS', () => {
  const rows = [
    resourceRow({ typeUrl: CDS.typeUrl, name: 'orders', hash: 'cds' }),
    resourceRow({ typeUrl: EDS.typeUrl, name: 'orders-eds', hash: 'eds' }),
  ];
  const seen = resourceRow({ typeUrl: hostHealthTypeUrl, name: 'orders', hash: 'hosts' });
  expect(endpointsOf(rows).endpoints).toEqual(hosts.map(() => ['HEALTHY', '']));
  const { cluster, endpoints } = endpointsOf([...rows, seen]);
  expect(endpoints).toEqual([
    ['HEALTHY', ''],
    ['UNHEALTHY', 'Envoy: excluded by active health checks and ejected by outlier detection'],
    ['DEGRADED', 'Envoy: degraded by x-envoy-degraded'],
    ['HEALTHY', ''],
  ]);
  expect(cluster).toContain('4 endpoints, 1 unhealthy, 1 degraded');
});

it('listHosts lists the health by Envoy and by EDS of each host, trouble first', () => {
  const lines = listHosts({
    name: 'orders',
    hostStatuses: [
      {
        address: address('10.0.0.1'),
        healthStatus: { edsHealthStatus: 'HEALTHY' },
        locality: { region: 'eu', zone: 'eu-1' },
        weight: 2,
      },
      {
        address: address('10.0.0.2'),
        hostname: 'two',
        healthStatus: { edsHealthStatus: 'HEALTHY', failedActiveHealthCheck: true, failedOutlierCheck: true },
        priority: 1,
      },
    ],
  });
  expect(lines).toEqual([
    {
      ...{ address: '10.0.0.2:80', hostname: 'two', locality: '', priority: 1, weight: 0 },
      ...{ health: 'UNHEALTHY', edsHealth: 'HEALTHY' },
      reason: 'excluded by active health checks and ejected by outlier detection',
    },
    {
      ...{ address: '10.0.0.1:80', hostname: '', locality: 'eu/eu-1', priority: 0, weight: 2 },
      ...{ health: 'HEALTHY', edsHealth: 'HEALTHY', reason: '' },
    },
  ]);
});
