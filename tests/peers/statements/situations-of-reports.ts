import type { Situation, Tools } from './situation';
import {
  chain,
  checked,
  cluster,
  edsFromFile,
  ejecting,
  endpoint,
  fixed,
  fromFile,
  host,
  httpFilter,
  inline,
  listener,
  panic,
  response,
  route,
  socket,
  tcpChain,
} from './situation';

/** What an operator saves of one Envoy. */
export interface Saved {
  readonly bootstrap: object;
  /** The answer of /config_dump?include_eds. */
  readonly dump: { readonly configs: readonly { readonly '@type': string }[] };
  /** The answer of /clusters?format=json. */
  readonly hosts: object;
}

/**
 * Envoys whose config and hosts are read from files as public reports contain them, and not from the Envoys. What the views state
 * of such a file is compared with the requests that the Envoys were sent.
 */
export interface FileSituation {
  readonly name: string;
  /** By the names of their nodes. */
  readonly envoys: Readonly<Record<string, (tools: Tools) => Omit<Situation, 'name'>>>;
  /** Each is opened alone. */
  readonly documents: (saved: Readonly<Record<string, Saved>>) => readonly SavedFile[];
}

export interface SavedFile {
  readonly file: string;
  /** The nodes of the Envoys in it. Absent: all. */
  readonly nodes?: readonly string[];
  readonly content: object;
}

export function situationsOfReports(): FileSituation[] {
  return [
    {
      name: "an Envoy's own configuration file",
      envoys: { boot: twoRoutes },
      documents: ({ boot }) => [
        { file: 'envoy.json', content: boot?.bootstrap ?? {} },
        { file: 'config_dump.json', content: boot?.dump ?? {} },
      ],
    },
    {
      name: 'a config dump with its hosts, of one proxy and of all proxies of a pod',
      envoys: { checkout: (tools) => sidecar(tools, 'pay'), web: (tools) => sidecar(tools, 'stock') },
      documents: (saved) => [
        { file: 'one-proxy.json', nodes: ['checkout'], content: withHosts(saved.checkout) },
        { file: 'two-proxies.json', content: mapOf(saved, (each) => withHosts(each)) },
        {
          file: 'two-proxies-no-eds.json',
          content: mapOf(saved, (each) => withHosts(each, 'EndpointsConfigDump')),
        },
      ],
    },
    {
      name: 'hosts that fail their health checks, in a config dump without the hosts of /clusters',
      envoys: { checking: ofTwo },
      documents: ({ checking }) => [{ file: 'with-endpoints.json', content: checking?.dump ?? {} }],
    },
    {
      name: 'what egctl prints for several proxies, one of which rejected its routes from the start',
      envoys: {
        'edge-1': (tools) => gateway(tools, host(route('/cart', 'cart'), route('/', 'site'))),
        'edge-2': (tools) => gateway(tools, host(route('/', 'site')), { ...host(), name: 'again' }),
      },
      documents: (saved) => [
        { file: 'all.json', content: { 'edge-system': mapOf(saved, ({ dump }) => dump) } },
        {
          file: 'route.json',
          content: { 'edge-system': mapOf(saved, ({ dump }) => sectionOf(dump, 'RoutesConfigDump')) },
        },
      ],
    },
  ];
}

function twoRoutes({ port }: Tools): Omit<Situation, 'name'> {
  const named = { endpoint: { address: socket(port('good'), 'localhost') } };
  const lua = httpFilter('lua.v3.Lua', {
    default_source_code: { inline_string: 'function envoy_on_request(h) end' },
  });
  const manager = {
    ...inline(
      { match: { prefix: '/alive' }, direct_response: { status: 200 } },
      ...[route('/cart', 'cart'), route('/old', 'old'), route('/', 'site')],
    ),
    ...{ use_remote_address: true, xff_num_trusted_hops: 2 },
  };
  return {
    listeners: [
      { name: 'web', address: socket(port('web')), filter_chains: [chain('web', manager, {}, [lua])] },
      // The script could answer each request to the other one.
      listener('plain', port('plain'), inline({ match: { prefix: '/' }, direct_response: { status: 200 } })),
    ],
    clusters: [
      cluster('cart', fixed('cart', [port('good')])),
      cluster('old', fixed('old', [port('closed')])),
      cluster('site', {
        ...{ type: 'STRICT_DNS', dns_lookup_family: 'V4_ONLY' },
        load_assignment: { cluster_name: 'site', endpoints: [{ lb_endpoints: [named] }] },
      }),
    ],
    requests: [
      { listener: 'plain', path: '/' },
      { listener: 'web', path: '/alive' },
      { listener: 'web', path: '/cart', clusters: ['cart'] },
      { listener: 'web', path: '/old', clusters: ['old'] },
      { listener: 'web', path: '/', clusters: ['site'] },
    ],
  };
}

function ofTwo({ port }: Tools): Omit<Situation, 'name'> {
  return {
    listeners: [listener('web', port('web'), inline(route('/sick', 'sick'), route('/', 'good')))],
    clusters: [
      cluster('good', { ...fixed('good', [port('good')]), ...checked, ...panic(0) }),
      cluster('sick', { ...fixed('sick', [port('sick')]), ...checked, ...panic(0) }),
    ],
    requests: [
      { listener: 'web', path: '/sick', clusters: ['sick'] },
      { listener: 'web', path: '/', clusters: ['good'] },
    ],
  };
}

/** One upstream is served, and the only endpoint of the other is HEALTHY in EDS and accepts no connection. */
function sidecar({ port, file }: Tools, other: string): Omit<Situation, 'name'> {
  const healthy = {
    cluster_name: other,
    endpoints: [{ lb_endpoints: [endpoint(port('closed'), { health_status: 'HEALTHY' })] }],
  };
  const upstream = (name: string, address: string) => ({
    ...{ name, address: socket(port(address)) },
    filter_chains: [tcpChain(name, name)],
  });
  return {
    listeners: [upstream('cart', 'web'), upstream(other, 'other')],
    clusters: [
      cluster('cart', { ...fixed('cart', [port('good')]), ...ejecting(300) }),
      cluster(other, { ...edsFromFile(file('endpoints')), ...ejecting(300) }),
    ],
    files: { endpoints: [response('endpoints', healthy)] },
    requests: [
      { listener: 'cart', path: '/', clusters: ['cart'] },
      { listener: other, port: 'other', path: '/', clusters: [other] },
    ],
  };
}

function gateway({ port, file }: Tools, ...virtualHosts: object[]): Omit<Situation, 'name'> {
  return {
    listeners: [listener('public', port('web'), fromFile('public', file('routes')))],
    clusters: ['cart', 'site'].map((name) => cluster(name, fixed(name, [port('good')]))),
    files: { routes: [response('routes', { name: 'public', virtual_hosts: virtualHosts })] },
    requests: [
      { listener: 'public', path: '/cart', clusters: ['cart'] },
      { listener: 'public', path: '/', clusters: ['site'] },
    ],
  };
}

function mapOf(saved: Readonly<Record<string, Saved>>, read: (each: Saved) => object): object {
  return Object.fromEntries(Object.entries(saved).map(([node, each]) => [node, read(each)]));
}

/** As `consul-k8s proxy read -o raw` prints them. */
function withHosts(saved: Saved | undefined, left?: string): object {
  const { dump = { configs: [] }, hosts } = saved ?? {};
  const configs = dump.configs.filter((each) => left === undefined || !each['@type'].endsWith(`.${left}`));
  return { config_dump: { configs }, clusters: hosts };
}

function sectionOf({ configs }: Saved['dump'], type: string): object {
  return configs.find((each) => each['@type'].endsWith(`.${type}`)) ?? {};
}
