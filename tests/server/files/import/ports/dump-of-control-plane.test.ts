import { expect, it } from 'vitest';
import { inEffect } from '@/lib/facts/effect';
import { combinedState } from '@/lib/observation/combined-state';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';

const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.admin.v3.${name}` });
const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'cart' };
const listener = { '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener', name: 'web' };
const endpointConfig = {
  '@type': 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  clusterName: 'cart',
};
const lastUpdated = '2026-11-22T23:13:54.609Z';

const clusters = (item: object, more: object = {}) => ({
  ...type('ClustersConfigDump'),
  dynamicActiveClusters: [item],
  ...more,
});
const endpoints = { ...type('EndpointsConfigDump'), dynamicEndpointConfigs: [{ endpointConfig }] };

/** The side that reports, and the state of each row. */
function read(...configs: object[]) {
  const marker = createRedactionMarker(Buffer.from('tests'));
  const [report, ...others] = planReport(Buffer.from(JSON.stringify({ configs }))).reports;
  if (report === undefined || others.length > 0) throw new Error('expected one report');
  const rows = [...readReport(report, marker)].flatMap((batch) => batch.rows);
  return {
    side: report.side,
    states: rows.map((row) => {
      const state = { ...row, changedAt: 0 };
      return `${row.name} ${combinedState(state)} ${inEffect(state).kind}`;
    }),
  };
}

it.each([
  ['clusters', clusters({ cluster })],
  [
    'listeners of istiod, with versions',
    {
      ...type('ListenersConfigDump'),
      dynamicListeners: [{ name: 'web', activeState: { versionInfo: '2026/1', listener } }],
    },
  ],
])('a dump of a control plane lacks the times of its updates: %s', (_, dump) => {
  const { side, states } = read(endpoints, dump);
  expect(side).toBe('control-plane');
  expect(states.join()).not.toMatch(/ACTIVE|ACKED/);
  expect(states).toHaveLength(2);
});

it('the bootstrap of a control plane does not state that an Envoy runs it', () => {
  const bootstrap = { node: { id: 'edge' }, staticResources: { clusters: [{ name: 'xds' }] } };
  const { states } = read({ ...type('BootstrapConfigDump'), bootstrap }, clusters({ cluster }));
  expect(states).toContain('xds UNKNOWN unknown');
});

it.each([
  ['each resource has the time of its update', [clusters({ lastUpdated, cluster })]],
  [
    'a listener has the time of its state',
    [{ ...type('ListenersConfigDump'), dynamicListeners: [{ activeState: { lastUpdated, listener } }] }],
  ],
  ['there are static resources', [clusters({ cluster }, { staticClusters: [{ cluster }] })]],
  // Envoy states no times of endpoints.
  ['there are endpoints alone', [endpoints]],
  // "mask" leaves out fields, and the names of the others have underscores.
  ['a mask left out the times', [{ ...type('ClustersConfigDump'), dynamic_active_clusters: [{ cluster }] }]],
  ['it is an answer to ?resource=', [{ ...type('ClustersConfigDump.DynamicCluster'), cluster }]],
])('a dump is of an Envoy if %s', (_, configs) => {
  const { side, states } = read(...configs);
  expect(side).toBe('client');
  expect(states.join()).toMatch(/ACTIVE payload/);
});

it('the dump of a control plane beside the hosts of an Envoy is of the Envoy', () => {
  const document = { config_dump: { configs: [clusters({ cluster })] }, clusters: { cluster_statuses: [] } };
  const { reports } = planReport(Buffer.from(JSON.stringify(document)));
  expect(reports.map(({ side }) => side)).toEqual(['client']);
});
