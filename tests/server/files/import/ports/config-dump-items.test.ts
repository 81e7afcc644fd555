import { describe, expect, it } from 'vitest';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';

const marker = createRedactionMarker(Buffer.from('tests'));
const type = (name: string) => `type.googleapis.com/${name}`;
const cluster = { '@type': type('envoy.config.cluster.v3.Cluster'), name: 'orders', type: 'EDS' };
const dated = { version_info: '7', last_updated: '2026-01-02T03:04:05.678Z' };
const listener = { '@type': type('envoy.config.listener.v3.Listener'), name: 'http', stat_prefix: 'web' };
const assignment = {
  '@type': type('envoy.config.endpoint.v3.ClusterLoadAssignment'),
  cluster_name: 'orders',
};

function read(json: object) {
  const plan = planReport(Buffer.from(JSON.stringify(json)));
  const batches = plan.reports.flatMap((report) => [...readReport(report, marker)]);
  return {
    kinds: plan.kinds,
    rows: batches.flatMap(({ rows }) => rows),
    problems: [...plan.problems, ...batches.flatMap(({ problems }) => problems)],
  };
}

describe('the answer to config_dump?resource=', () => {
  it.each([
    ['ClustersConfigDump', 'DynamicCluster', 'dynamic_active_clusters', { ...dated, cluster }],
    ['ClustersConfigDump', 'StaticCluster', 'static_clusters', { cluster, last_updated: dated.last_updated }],
    [
      'ListenersConfigDump',
      'DynamicListener',
      'dynamic_listeners',
      {
        name: 'http',
        active_state: { ...dated, listener },
        error_state: { details: 'no such filter', version_info: '8' },
      },
    ],
    [
      'EndpointsConfigDump',
      'DynamicEndpointConfig',
      'dynamic_endpoint_configs',
      { endpoint_config: assignment },
    ],
  ])('is read like the whole dump: %s.%s', (container, item, list, content) => {
    const prefix = type(`envoy.admin.v3.${container}`);
    const asItems = read({ configs: [{ '@type': `${prefix}.${item}`, ...content }] });
    const asWhole = read({ configs: [{ '@type': prefix, [list]: [content] }] });
    expect(asWhole.rows).toHaveLength(1);
    expect(asWhole.problems).toEqual([]);
    expect(asItems).toEqual(asWhole);
  });

  it('is read with the fields that a mask left', () => {
    const { '@type': typeUrl, name } = cluster;
    const item = { ...dated, cluster: { '@type': typeUrl, name } };
    const { rows, problems } = read({
      configs: [{ '@type': type('envoy.admin.v3.ClustersConfigDump.DynamicCluster'), ...item }],
    });
    expect(problems).toEqual([]);
    expect(rows).toMatchObject([{ name: 'orders', versionInfo: '7', clientStatus: 'ACKED', hash: null }]);
  });

  it('has no known content if a mask left out the time of the update, or all but the name', () => {
    const { '@type': typeUrl, name } = cluster;
    const hashOf = (item: object) =>
      read({
        configs: [{ '@type': type('envoy.admin.v3.ClustersConfigDump.DynamicCluster'), ...item }],
      }).rows.map((row) => [row.name, row.hash === null]);
    expect(hashOf({ cluster })).toEqual([['orders', true]]);
    expect(hashOf({ ...dated, cluster: { '@type': typeUrl, name } })).toEqual([['orders', true]]);
    expect(hashOf({ ...dated, cluster })).toEqual([['orders', false]]);
  });
});
