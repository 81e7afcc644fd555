import { describe, expect, it } from 'vitest';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { AwaitedRoutes } from '@/server/files/import/awaited-routes';

const redactionKey = Buffer.from('tests');
const codec = createCodec({ redactionKey });
const admin = 'type.googleapis.com/envoy.admin.v3.';
const cluster = { name: 'management-server', connect_timeout: '1s' };
const bootstrap = {
  '@type': `${admin}BootstrapConfigDump`,
  bootstrap: { node: { id: 'edge' }, static_resources: { clusters: [cluster] } },
};
const clusters = {
  '@type': `${admin}ClustersConfigDump`,
  static_clusters: [{ cluster: { '@type': CDS.typeUrl, ...cluster } }],
};
const noRoutes = { '@type': `${admin}RoutesConfigDump` };
const manager = {
  '@type':
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  ...{ stat_prefix: 'web', rds: { route_config_name: 'public', config_source: { ads: {} } } },
};
const listeners = {
  '@type': `${admin}ListenersConfigDump`,
  static_listeners: [
    {
      listener: {
        ...{ '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener', name: 'web' },
        filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
      },
    },
  ],
};

function awaited(bytes: Uint8Array): string[] {
  const { reports } = planReport(bytes);
  return reports.flatMap((report) => {
    const routes = new AwaitedRoutes(report);
    for (const batch of readReport(report, createRedactionMarker(redactionKey))) routes.add(batch);
    return routes.rows().map(({ typeUrl, name, clientStatus }) => {
      expect(typeUrl).toBe(RDS.typeUrl);
      return `${name} ${clientStatus}`;
    });
  });
}

const json = (...configs: object[]) => Buffer.from(JSON.stringify({ configs }));
const binary = (...configs: object[]) => codec.encode(`${admin}ConfigDump`, { configs });

describe.each([
  ['JSON', json],
  ['protobuf', binary],
])('in a config dump in %s', (_, dump) => {
  it('with an empty section of routes, what the listeners request is not accepted', () => {
    expect(awaited(dump(bootstrap, clusters, listeners, noRoutes))).toEqual(['public REQUESTED']);
  });

  it('with an empty section of clusters, as with name_regex, nothing is known of the routes', () => {
    const noClusters = { '@type': `${admin}ClustersConfigDump` };
    expect(awaited(dump(bootstrap, noClusters, listeners, noRoutes))).toEqual([]);
  });

  it.each([
    ['a second cluster', { clusters: [cluster, { ...cluster, name: 'logs' }] }],
    ['a second listener', { clusters: [cluster], listeners: [{ name: 'web' }, { name: 'other' }] }],
    ['neither', {}],
  ])('of a bootstrap with %s, as with name_regex, nothing is known of the routes', (_each, resources) => {
    const own = { ...bootstrap, bootstrap: { node: { id: 'edge' }, static_resources: resources } };
    expect(awaited(dump(own, clusters, listeners, noRoutes))).toEqual([]);
  });

  it('without a section of routes, without the bootstrap, or with routes, nothing is known of them', () => {
    const route = { '@type': RDS.typeUrl, name: 'other' };
    const routes = { ...noRoutes, dynamic_route_configs: [{ route_config: route }] };
    for (const configs of [
      [bootstrap, clusters, listeners],
      [clusters, listeners, noRoutes],
      [bootstrap, clusters, listeners, routes],
    ])
      expect(awaited(dump(...configs))).toEqual([]);
  });
});
