import { describe, expect, it } from 'vitest';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { CDS, EDS, RDS, RTDS, SDS, VHDS } from '@/lib/xds/resource-type';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../support/builders/topology-mesh';

const tls = (secret: string, sdsConfig?: object): MeshResource => ({
  typeUrl: CDS.typeUrl,
  name: `tls-${secret}`,
  body: {
    type: 'STATIC',
    transportSocket: {
      typedConfig: { commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: secret, sdsConfig }] } },
    },
  },
});

const report = (...resources: MeshResource[]) => {
  const { dangling, orphans } = buildReferenceReport(topologyInput(resources));
  return {
    dangling: dangling.map(({ name, reason, usedBy }) => [name, reason, ...usedBy.map((user) => user.how)]),
    orphans: orphans.map(({ name, reason }) => [name, reason]),
  };
};

describe('a cluster to which a client subscribes, although no route names it', () => {
  const rows = [
    apiListener('l', { rds: 'r' }),
    routeConfig('r', { '': 'c' }),
    edsCluster('c'),
    endpoints('c', []),
    edsCluster('plugin'),
    endpoints('plugin', []),
    endpoints('other', []),
  ];
  const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

  it('is subscribed dynamically by a client that names its clusters, with what it refers to', () => {
    const found = buildReferenceReport({ ...topologyInput(rows), namesClusters: true });
    expect(namesOf(found.dynamic)).toEqual(['plugin']);
    expect(namesOf(found.orphans)).toEqual(['other']);
    expect(namesOf(buildReferenceReport(topologyInput(rows)).orphans)).toEqual(['plugin', 'other', 'plugin']);
  });

  it('is not known to be if no listener is reported', () => {
    const input = topologyInput(rows.filter(({ name }) => name !== 'l'));
    expect(buildReferenceReport({ ...input, namesClusters: true }).dynamic).toEqual([]);
  });

  it('is subscribed dynamically if a request named it', () => {
    const input = topologyInput(rows);
    const asked = input.rows.map((row) =>
      row.typeUrl === CDS.typeUrl && row.name === 'plugin' ? { ...row, isOnDemand: true as const } : row,
    );
    expect(namesOf(buildReferenceReport({ ...input, rows: asked }).dynamic)).toEqual(['plugin']);
  });
});

describe('buildReferenceReport', () => {
  it('finds nothing in a complete mesh', () => {
    const whole = [
      apiListener('l', { rds: 'r' }),
      routeConfig('r', { '': 'c' }),
      edsCluster('c'),
      endpoints('c', []),
      { typeUrl: RTDS.typeUrl, name: 'layer' },
      { typeUrl: CDS.typeUrl, name: 'bootstrap', isStatic: true },
    ];
    expect(report(...whole)).toEqual({ dangling: [], orphans: [] });
  });

  it('lists absent resources with all resources that reference them', () => {
    const { dangling } = report(
      apiListener('l', { rds: 'r' }),
      routeConfig('r', { '/a': 'never', '/b': 'gone', '/c': { asked: 1 } }),
      routeConfig('r2', { '': 'never' }),
      { typeUrl: CDS.typeUrl, name: 'gone', clientStatus: 'DOES_NOT_EXIST' },
      { typeUrl: CDS.typeUrl, name: 'asked' },
    );
    expect(dangling).toEqual([
      ['asked', 'requested; no response yet', 'weighted'],
      ['gone', 'the management server does not have it', 'route'],
      ['never', 'the client does not hold it', 'route', 'route'],
    ]);
  });

  it('lists resources that no listener reaches, including cycles', () => {
    const { orphans } = report(
      apiListener('l', { rds: 'r' }),
      routeConfig('r', {}),
      routeConfig('old', { '': 'c' }),
      edsCluster('c'),
      endpoints('c', []),
      aggregateCluster('loop', ['loop']),
    );
    expect(orphans).toEqual([
      ['old', 'nothing refers to it'],
      ['c', 'only RDS "old" refers to it, which is not reachable from a listener'],
      ['loop', 'only CDS "loop" refers to it, which is not reachable from a listener'],
      ['c', 'only CDS "c" refers to it, which is not reachable from a listener'],
    ]);
  });

  it('does not list resources from other sources, or of types that the client does not report', () => {
    const elsewhere = {
      typeUrl: CDS.typeUrl,
      name: 'file',
      body: { name: 'file', type: 'EDS', edsClusterConfig: { edsConfig: { path: '/eds' } } },
    };
    const onStream = tls('ads', { ads: {} });
    expect(report(elsewhere, tls('static'), onStream).dangling).toEqual([]);
    const held = { typeUrl: SDS.typeUrl, name: 'other', body: { name: 'other' } };
    expect(report(elsewhere, tls('static'), onStream, held).dangling).toEqual([
      ['ads', 'the client does not hold it', 'tls'],
    ]);
  });

  it('follows VHDS to all virtual hosts of the route configuration', () => {
    const listener = apiListener('l', { rds: 'r' });
    const routes = { typeUrl: RDS.typeUrl, name: 'r', body: { name: 'r', vhds: {} } };
    const host = (name: string, cluster: string) => ({
      typeUrl: VHDS.typeUrl,
      name,
      body: { name, routes: [{ match: { prefix: '' }, route: { cluster } }] },
    });
    const hosts = [host('r/a', 'c'), host('q/b', 'd')];
    const { orphans } = report(listener, routes, ...hosts, edsCluster('c'), edsCluster('d'), {
      typeUrl: EDS.typeUrl,
      name: 'c',
    });
    expect(orphans.map(([name]) => name)).toEqual(['q/b', 'd']);
  });
});
