import { CDS, EDS, LDS, RDS } from '../../xds/resource-type';
import type { BuildResources, CaseAction, CaseServer, InteropCase } from '../interop-case';
import {
  ads,
  cluster,
  endpoints,
  listener,
  listenerName,
  oneCluster,
  routeConfiguration,
  routesName,
} from './case-resources';

const fallback = { feature: 'Fallback', grfc: 'A71', origin: 'later' } as const;
const servers: readonly CaseServer[] = ['primary', 'fallback'];
const environment = { GRPC_EXPERIMENTAL_XDS_FALLBACK: 'true' };
/** Clients wait up to 15 s for a resource, and up to 2 minutes for a server. */
const withinMs = 60_000;

/** All RPCs go to the backends of a group, by a cluster of another name than those of other servers. */
function leadTo(group: string, name: string): BuildResources {
  return (mesh) => [
    listener(),
    routeConfiguration([{ to: name }]),
    cluster(name),
    endpoints(name, [{ zone: 'a', backends: mesh.group(group) }]),
  ];
}

const toPrimary = leadTo('a', 'primary-cluster');
const start = (server: CaseServer, resources: BuildResources): readonly CaseAction[] => [
  { kind: 'serve', server, resources },
  { kind: 'start-server', server },
];
const startFallback = start('fallback', leadTo('b', 'fallback-cluster'));
const stopOn = (name: string): CaseAction => ({
  ...{ kind: 'stop-server-on', server: 'primary', typeUrl: CDS.typeUrl, name },
});
const startPrimaryAgain: readonly CaseAction[] = [stopOn(''), { kind: 'start-server', server: 'primary' }];

const onStartup: InteropCase = {
  name: 'fallback_on_startup',
  title: 'The fallback server is used while the primary one does not run, and the primary one when it does',
  ...fallback,
  backends: { a: 1, b: 1 },
  servers,
  client: { timeoutSeconds: 2, environment },
  steps: [
    { title: 'No server runs', expect: { kind: 'none-succeed', overMs: 2_500 } },
    {
      title: 'The fallback server starts',
      actions: startFallback,
      expect: { kind: 'only', backends: ['b1'] },
      withinMs,
    },
    {
      title: 'The primary server starts',
      actions: start('primary', toPrimary),
      expect: { kind: 'only', backends: ['a1'] },
      withinMs,
    },
    {
      title: 'The primary server stops: the config in the cache stays in effect',
      actions: [{ kind: 'stop-server', server: 'primary' }],
      expect: { kind: 'only', backends: ['a1'], rpcs: 200 },
    },
  ],
};

const midStartup: InteropCase = {
  name: 'fallback_mid_startup',
  title: 'The fallback server is used if the primary one stops before the client has all resources',
  ...fallback,
  backends: { a: 1, b: 1 },
  servers,
  client: { environment },
  resources: toPrimary,
  setup: [stopOn('primary-cluster'), ...startFallback],
  steps: [
    {
      title: 'The primary server stops when its cluster is requested',
      expect: { kind: 'only', backends: ['b1'] },
      withinMs,
    },
    {
      title: 'The primary server starts',
      actions: startPrimaryAgain,
      expect: { kind: 'only', backends: ['a1'] },
      withinMs,
    },
  ],
};

const midUpdate: InteropCase = {
  name: 'fallback_mid_update',
  title:
    'The fallback server is used if the primary one stops before the client has all resources of an update',
  ...fallback,
  backends: { a: 1, b: 1, c: 1 },
  servers,
  client: { environment },
  resources: toPrimary,
  setup: startFallback,
  steps: [
    { title: 'The primary server is used', expect: { kind: 'only', backends: ['a1'] } },
    {
      title: 'The routes name another cluster, and the primary server stops when it is requested',
      actions: [stopOn('updated-cluster'), { kind: 'serve', resources: leadTo('c', 'updated-cluster') }],
      expect: { kind: 'only', backends: ['b1'] },
      withinMs,
    },
    {
      title: 'The primary server starts',
      actions: startPrimaryAgain,
      expect: { kind: 'only', backends: ['c1'] },
      withinMs,
    },
  ],
};

const ofAuthority = (message: string, name: string) => `xdstp://other/envoy.config.${message}/${name}`;
const names = {
  listener: ofAuthority('listener.v3.Listener', 'svc'),
  routes: ofAuthority('route.v3.RouteConfiguration', 'routes'),
  cluster: ofAuthority('cluster.v3.Cluster', 'a'),
  endpoints: ofAuthority('endpoint.v3.ClusterLoadAssignment', 'a'),
};

const toAuthority: BuildResources = (mesh) => [
  listener({ name: names.listener, routes: names.routes }),
  routeConfiguration([{ to: names.cluster }], { name: names.routes }),
  cluster(names.cluster, { edsClusterConfig: { serviceName: names.endpoints, edsConfig: ads } }),
  endpoints(names.endpoints, [{ zone: 'a', backends: mesh.group('a') }]),
];

const federation: InteropCase = {
  name: 'federation',
  title: 'A target of another authority uses the management server of that authority',
  ...{ feature: 'Federation', grfc: 'A47', origin: 'later' },
  backends: { a: 1 },
  servers: ['primary', 'authority'],
  client: { target: 'xds://other/svc', environment: { GRPC_EXPERIMENTAL_XDS_FEDERATION: 'true' } },
  resources: () => [],
  setup: start('authority', toAuthority),
  steps: [{ title: 'The server of the authority is used', expect: { kind: 'only', backends: ['a1'] } }],
};

const statusReport: InteropCase = {
  name: 'csds',
  title: 'The client reports the resources that it uses',
  ...{ feature: 'Client status', grfc: 'A40', origin: 'later' },
  backends: { a: 1 },
  resources: oneCluster(),
  steps: [
    { title: 'RPCs reach the backend', expect: { kind: 'only', backends: ['a1'] } },
    {
      title: 'CSDS reports every resource',
      expect: {
        kind: 'csds',
        resources: [
          { typeUrl: LDS.typeUrl, name: listenerName },
          { typeUrl: RDS.typeUrl, name: routesName },
          { typeUrl: CDS.typeUrl, name: 'a' },
          { typeUrl: EDS.typeUrl, name: 'a' },
        ],
      },
    },
  ],
};

export const fallbackCases: readonly InteropCase[] = [
  onStartup,
  midStartup,
  midUpdate,
  federation,
  statusReport,
];
