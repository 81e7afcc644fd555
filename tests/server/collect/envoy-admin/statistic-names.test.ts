import { expect, it } from 'vitest';
import { combinedState } from '@/lib/observation/combined-state';
import { EDS, findResourceType, LDS, RDS, VHDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { applyStatistics, findEarlier } from '@/server/collect/envoy-admin/apply-statistics';
import { readDocument } from '@/server/collect/envoy-admin/read-document';
import { readStatistics } from '@/server/collect/envoy-admin/read-statistics';
import { RejectionTracker } from '@/server/collect/envoy-admin/rejection-tracker';

const marker = createRedactionMarker(Buffer.from('tests'));
const typeOf = (name: string) => `type.googleapis.com/envoy.${name}`;

/** A listener whose connection managers request these route configurations. */
function listener(name: string, ...routes: readonly string[]): object {
  const manager = (route: string) => ({
    name: 'http',
    typed_config: {
      '@type': typeOf('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
      rds: { route_config_name: route, config_source: { ads: {} } },
    },
  });
  const [first = '', ...others] = routes;
  return {
    name,
    active_state: {
      version_info: '1',
      listener: {
        '@type': typeOf('config.listener.v3.Listener'),
        name,
        filter_chains: others.map((route) => ({ filters: [manager(route)] })),
        default_filter_chain: { filters: [manager(first)] },
      },
    },
  };
}

function rowsAfter(stats: string, listeners: readonly object[], accepted: readonly string[]) {
  const routes = accepted.map((name) => ({
    version_info: '1',
    route_config: { '@type': typeOf('config.route.v3.RouteConfiguration'), name },
  }));
  const clusters = ['c:1', 'd_1'].map((name) => ({
    version_info: '1',
    cluster: { '@type': typeOf('config.cluster.v3.Cluster'), name, type: 'EDS', eds_cluster_config: {} },
  }));
  const configs = [
    { '@type': typeOf('admin.v3.ListenersConfigDump'), dynamic_listeners: listeners },
    { '@type': typeOf('admin.v3.RoutesConfigDump'), dynamic_route_configs: routes },
    { '@type': typeOf('admin.v3.ClustersConfigDump'), dynamic_active_clusters: clusters },
  ];
  const { rows, clusterNames, routeNames } = readDocument(
    'config_dump',
    Buffer.from(JSON.stringify({ configs })),
    marker,
  );
  const tracker = new RejectionTracker();
  tracker.read(readStatistics('server.uptime: 9'), 0);
  tracker.read(readStatistics(`${stats}\nserver.uptime: 10`), 1_000);
  const names = { clusters: clusterNames ?? new Map(), routes: routeNames ?? new Set<string>() };
  const findings = { rejected: tracker.rejected, idleClusters: [], cdsAcceptedAt: null };
  return applyStatistics(rows, names, findings).map((row) => ({ ...row, changedAt: 0 }));
}

function rejectedOf(...input: Parameters<typeof rowsAfter>): string[] {
  return rowsAfter(...input).flatMap((row) => {
    const state = combinedState(row);
    const service = findResourceType(row.typeUrl)?.service;
    return state === 'ACTIVE' ? [] : [`${service} ${row.name || '(the type)'} ${state}`];
  });
}

const routes = (name: string) => `http.in.rds.${name}.update_rejected: 1`;

it('a name in which statistics have "_" for another character is that of the resource', () => {
  const listeners = [listener('l', 'shop:80', 'other_80', 'plain')];
  expect(rejectedOf(routes('shop_80'), listeners, ['shop:80'])).toEqual(['RDS shop:80 NACKED']);
  expect(rejectedOf('cluster.c_1.update_rejected: 1', [], [])).toEqual(['EDS c:1 NACKED']);
  expect(rejectedOf('cluster.d_1.update_rejected: 1', [], [])).toEqual(['EDS d_1 NACKED']);
});

it('also of routes that Envoy never accepted, by the listener that requests them', () => {
  const listeners = [listener('l', 'shop:80', 'other_80', 'plain')];
  expect(rejectedOf(routes('shop_80'), listeners, [])).toEqual(['RDS shop:80 NACKED']);
  expect(rejectedOf(routes('other_80'), listeners, [])).toEqual(['RDS other_80 NACKED']);
  expect(rejectedOf(routes('plain'), [], [])).toEqual(['RDS plain NACKED']);
});

it('a name that may be of several resources, or of an unknown one, is shown on the type', () => {
  const listeners = [listener('l', 'shop:80', 'shop_80')];
  expect(rejectedOf(routes('shop_80'), listeners, [])).toEqual(['RDS (the type) NACKED']);
  expect(rejectedOf(routes('shop_80'), listeners, ['shop:80', 'shop_80'])).toEqual(['RDS (the type) NACKED']);
  expect(rejectedOf(routes('shop_80'), [], [])).toEqual(['RDS (the type) NACKED']);
});

it('what was rejected, and is no longer served, is no row of the dump', () => {
  const error_state = { details: 'no filter chains specified' };
  const listeners = [
    { ...listener('kept', 'routes'), error_state },
    { name: 'new', error_state },
  ];
  const configs = [{ '@type': typeOf('admin.v3.ListenersConfigDump'), dynamic_listeners: listeners }];
  const bytes = Buffer.from(JSON.stringify({ configs }));
  const names = { clusters: new Map(), routes: new Set<string>() };
  const rowsOf = (withdrawn: readonly string[]) => {
    const findings = { rejected: [], idleClusters: [], cdsAcceptedAt: null, withdrawn };
    const { rows } = readDocument('config_dump', bytes, marker);
    return applyStatistics(rows, names, findings).map(
      (row) => `${row.name} ${combinedState({ ...row, changedAt: 0 })}`,
    );
  };
  expect(rowsOf([])).toEqual(['kept NACKED', 'new NACKED']);
  expect(rowsOf([LDS.typeUrl])).toEqual(['kept ACTIVE']);
});

it('statistics of several resources are of the type, and not of a resource', () => {
  const listeners = [listener('l', 'routes')];
  expect(rejectedOf('http.in.rds.vhds.routes.update_rejected: 1', listeners, ['routes'])).toEqual([
    'VHDS (the type) NACKED',
  ]);
  expect(rejectedOf('http.in.scoped_rds.scopes.update_rejected: 1', [], [])).toEqual([
    'SRDS (the type) NACKED',
  ]);
  const clusters = ['cds', 'odcds'].map((each) => `cluster_manager.${each}.update_rejected: 1`);
  for (const text of [clusters[1] ?? '', clusters.join('\n')])
    expect(rejectedOf(text, [], [])).toEqual(['CDS (the type) NACKED']);
});

it('rows have what a later process of xdscope needs to know the same rejections', () => {
  const stats = ['a', 'b'].map((name) => `cluster.${name}.update_rejected: 1`).join('\n');
  for (const [text, typeUrl] of [
    [routes('shop_80'), RDS.typeUrl],
    ['cluster.c_1.update_rejected: 1', EDS.typeUrl],
    [stats.replace('.a.', '.c_1.').replace('.b.', '.d_1.'), EDS.typeUrl],
    ['cluster_manager.cds.update_rejected: 1', undefined],
    ['http.in.rds.vhds.routes.update_rejected: 1', VHDS.typeUrl],
    ['listener_manager.lds.update_rejected: 1\nlistener_manager.lds.update_success: 2', undefined],
  ] as const) {
    const tracker = new RejectionTracker();
    tracker.read(readStatistics('server.uptime: 9'), 0);
    tracker.read(readStatistics(`${text}\nserver.uptime: 10`), 1_000);
    const found = findEarlier(rowsAfter(text, [listener('l', 'shop:80')], []));
    expect(found).toEqual(
      tracker.rejected.map(({ statistic, at, verdict, successes }) => ({
        statistic,
        at,
        verdict,
        successes,
      })),
    );
    if (typeUrl !== undefined) expect(tracker.rejected[0]?.typeUrl).toBe(typeUrl);
  }
});
