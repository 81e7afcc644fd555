import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { type AnyMessage, anyOf, packed, wrapped } from '../../../../support/builders/xds-wire';
import type { ResponseCase } from '../../../../support/conformance/response-conformance';

type Make = (name: string) => AnyMessage;

const cluster: Make = (name) =>
  packed(CDS.typeUrl, { name, type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } });
const brokenCluster: Make = (name) => packed(CDS.typeUrl, { name });
const otherCluster: Make = (name) =>
  packed(CDS.typeUrl, {
    name,
    type: 'EDS',
    altStatName: 'other',
    edsClusterConfig: { edsConfig: { self: {} } },
  });
const endpoints: Make = (clusterName) => packed(EDS.typeUrl, { clusterName });
const brokenEndpoints: Make = (clusterName) =>
  packed(EDS.typeUrl, {
    clusterName,
    endpoints: [{ priority: 1, locality: { region: 'r' }, loadBalancingWeight: { value: 1 } }],
  });
const route = { match: { prefix: '' }, route: { cluster: 'c' } };
const routes: Make = (name) =>
  packed(RDS.typeUrl, { name, virtualHosts: [{ name: 'v', domains: ['*'], routes: [route] }] });
const brokenRoutes: Make = (name) =>
  packed(RDS.typeUrl, { name, virtualHosts: [{ name: 'v', domains: ['*'], routes: [{}] }] });
const listener: Make = (name) =>
  packed(LDS.typeUrl, {
    name,
    apiListener: {
      apiListener: packed(
        'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
        {
          rds: { configSource: { ads: {} }, routeConfigName: 'rt' },
          httpFilters: [
            {
              name: 'router',
              typedConfig: packed('type.googleapis.com/envoy.extensions.filters.http.router.v3.Router', {}),
            },
          ],
        },
      ),
    },
  });
const brokenListener: Make = (name) => packed(LDS.typeUrl, { name });

const garbage = (typeUrl: string) => anyOf(typeUrl, Buffer.from([0xff]));
const as = (typeUrl: string, { value }: AnyMessage) => anyOf(typeUrl, value);
const of =
  (...makes: Make[]) =>
  (name: string) =>
    makes.map((make) => make(name));
const named =
  (make: Make, name: string): Make =>
  () =>
    make(name);
const wrappedAs =
  (make: Make, wrapperName?: string): Make =>
  (name) =>
    wrapped(wrapperName ?? name, make(name));
const v2Cluster = 'type.googleapis.com/envoy.api.v2.Cluster';

function clusters(title: string, ...responses: (Make[] | Record<string, unknown>)[]): ResponseCase {
  return {
    title,
    typeUrl: CDS.typeUrl,
    responses: responses.map((each) => (Array.isArray(each) ? { resources: of(...each) } : each)),
  };
}

const kinds: readonly [string, string, Make, Make][] = [
  ['LDS', LDS.typeUrl, listener, brokenListener],
  ['RDS', RDS.typeUrl, routes, brokenRoutes],
  ['CDS', CDS.typeUrl, cluster, brokenCluster],
  ['EDS', EDS.typeUrl, endpoints, brokenEndpoints],
];

/** Cases of one or more responses to a client that requests one resource. */
export const responseCases: readonly ResponseCase[] = [
  ...kinds.flatMap(([type, typeUrl, good, broken]): ResponseCase[] => [
    { title: `${type}: good`, typeUrl, responses: [{ resources: of(good) }] },
    { title: `${type}: broken`, typeUrl, responses: [{ resources: of(broken) }] },
    { title: `${type}: empty`, typeUrl, responses: [{ resources: [] }] },
    {
      title: `${type}: good, then broken, then good`,
      typeUrl,
      responses: [{ resources: of(good) }, { resources: of(broken) }, { resources: of(good) }],
    },
    { title: `${type}: good, then empty`, typeUrl, responses: [{ resources: of(good) }, { resources: [] }] },
    {
      title: `${type}: good and a broken one that was not requested`,
      typeUrl,
      responses: [{ resources: of(good, named(broken, 'other')) }],
    },
    { title: `${type}: garbage`, typeUrl, responses: [{ resources: [garbage(typeUrl)] }] },
  ]),
  clusters('a good one that was not requested', [named(cluster, 'other')]),
  clusters('a broken one that was not requested', [named(brokenCluster, 'other')]),
  clusters('broken, and a good one that was not requested', [brokenCluster, named(cluster, 'other')]),
  clusters('good, then broken with a good one', [cluster], [brokenCluster, named(cluster, 'other')]),
  clusters('good, then good with a broken one', [cluster], [otherCluster, named(brokenCluster, 'other')]),
  clusters('good twice', [cluster, cluster]),
  clusters('two different ones of a name', [cluster, otherCluster]),
  clusters('good and broken of a name', [cluster, brokenCluster]),
  clusters('broken and good of a name', [brokenCluster, cluster]),
  clusters('broken twice', [brokenCluster, brokenCluster]),
  clusters('garbage beside a good one', [cluster, () => garbage(CDS.typeUrl)]),
  clusters('no name', [named(cluster, '')]),
  clusters('no name, broken', [named(brokenCluster, '')]),
  clusters('an empty Any', [() => anyOf('', Buffer.alloc(0))]),
  clusters('a resource of another type', [named(endpoints, 'x')]),
  clusters('a resource of another type beside a good one', [cluster, named(endpoints, 'x')]),
  clusters('a resource of an unknown type', [() => anyOf('type.googleapis.com/acme.Foo', Buffer.alloc(0))]),
  clusters('a resource of another host', [
    (name) => as('example.com/envoy.config.cluster.v3.Cluster', cluster(name)),
  ]),
  clusters('a resource without host', [(name) => as('envoy.config.cluster.v3.Cluster', cluster(name))]),
  clusters('a resource of v2', [(name) => as(v2Cluster, cluster(name))]),
  clusters('wrapped', [wrappedAs(cluster)]),
  clusters('wrapped and broken', [wrappedAs(brokenCluster)]),
  clusters('wrapped under another name', [wrappedAs(cluster, 'other')]),
  clusters('wrapped without name', [wrappedAs(cluster, '')]),
  clusters('wrapped of another type', [wrappedAs(named(endpoints, 'x'))]),
  clusters('wrapped garbage', [wrappedAs(() => garbage(CDS.typeUrl))]),
  clusters('wrapped garbage without name', [wrappedAs(() => garbage(CDS.typeUrl), '')]),
  clusters('wrapped twice', [wrappedAs(wrappedAs(cluster))]),
  clusters('a wrapper that is garbage', [
    () => garbage('type.googleapis.com/envoy.service.discovery.v3.Resource'),
  ]),
  clusters('an empty wrapper', [(name) => wrapped(name)]),
  clusters('an empty wrapper after a good one', [cluster], [(name) => wrapped(name)]),
  clusters('wrapped and bare of a name', [wrappedAs(cluster), cluster]),
  clusters('an unknown type', { typeUrl: 'type.googleapis.com/acme.Foo', resources: [] }, [cluster]),
  clusters(
    'a type that was not requested',
    { typeUrl: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret', resources: [] },
    [cluster],
  ),
  clusters('no type', { typeUrl: '', resources: [] }, [cluster]),
  clusters('the type of v2', { typeUrl: v2Cluster, resources: of((name) => as(v2Cluster, cluster(name))) }, [
    cluster,
  ]),
  clusters('the type without host', { typeUrl: 'envoy.config.cluster.v3.Cluster', resources: of(cluster) }, [
    cluster,
  ]),
  clusters('no version', { versionInfo: '', resources: of(cluster) }),
  clusters('no nonce', { nonce: '', resources: of(cluster) }, [cluster]),
  clusters('the same nonce twice', [cluster], { nonce: 'n1', resources: of(brokenCluster) }, [cluster]),
  clusters('broken twice in a row', [brokenCluster], [brokenCluster], [cluster]),
  clusters('an xdstp name', [named(cluster, 'xdstp://a/envoy.config.cluster.v3.Cluster/x')]),
  clusters('a name that is xdstp: and no more', [named(cluster, 'xdstp:')]),
  clusters('an error without resources', {
    resources: [],
    resourceErrors: [{ resourceName: { name: 'x' }, errorDetail: { code: 5, message: 'gone' } }],
  }),
];
