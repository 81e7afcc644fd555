import type { FileType, Situation, Tools } from './situation';
import {
  cluster,
  edsFrom,
  edsFromFile,
  endpoint,
  endpoints,
  fileSource,
  fixed,
  fromFile,
  fromSource,
  host,
  inline,
  listener,
  over,
  response,
  route,
  silentSource,
  tlsFromFile,
  toA,
} from './situation';

/** What users report of resources that warm beside earlier ones, go, arrive twice, or under another name. */
export function situationsOfDiscovery(tools: Tools): Situation[] {
  return [...withWarming(tools), ...withNames(tools), ...withContent(tools)];
}

const dynamic = (tools: Tools, type: FileType) => ({
  dynamic_resources: {
    [type === 'listeners' ? 'lds_config' : 'cds_config']: fileSource(tools.file(type)),
  },
});

function byLds(tools: Tools, name: string, ...versions: object[][]): Situation {
  const { port } = tools;
  return {
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [],
    clusters: [
      cluster('a', fixed('a', [port('good')])),
      cluster('silent', fixed('silent', [port('closed')])),
    ],
    bootstrap: dynamic(tools, 'listeners'),
    files: { listeners: versions.map((each) => response('listeners', ...each)) },
  };
}

function byCds(tools: Tools, name: string, ...versions: object[][]): Situation {
  const { port, file } = tools;
  return {
    ...over(tools, name, {}),
    // Static routes are checked against static clusters.
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    clusters: [cluster('silent', fixed('silent', [port('closed')]))],
    bootstrap: dynamic(tools, 'clusters'),
    files: {
      routes: [response('routes', { name: 'routes', virtual_hosts: [host(route('/', 'a'))] })],
      clusters: versions.map((each) => response('clusters', ...each)),
    },
  };
}

/** A version waits for what never arrives, beside one that serves. */
function withWarming(tools: Tools): Situation[] {
  const { port } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const web = listener('web', port('web'), inline(route('/', 'a')));
  const waiting = listener('web', port('web'), fromSource('routes', silentSource('silent', '0s')));
  const silent = edsFrom(silentSource('silent', '0s'));
  return [
    byLds(tools, 'a listener that serves while its next version waits for routes', [web], [waiting]),
    byLds(tools, 'a listener whose routes never arrive within the time', [
      listener('web', port('web'), fromSource('routes', silentSource('silent', '1s'))),
    ]),
    {
      ...byLds(
        tools,
        'a listener that moved to another port',
        [web],
        [listener('web', port('other'), inline(route('/', 'a')))],
      ),
      requests: [{ ...toA, port: 'other' }],
    },
    byLds(tools, 'a listener whose port another program has', [
      listener('web', port('good'), inline(route('/', 'a'))),
    ]),
    byCds(
      tools,
      'a cluster that serves while its next version waits for endpoints',
      [good],
      [cluster('a', silent)],
    ),
    byCds(tools, 'a cluster that the source no longer has', [good], []),
    byCds(
      tools,
      'a cluster whose next version has another host',
      [good],
      [cluster('a', fixed('a', [port('closed')]))],
    ),
  ];
}

/** Names that are not those of the references, or are there twice. */
function withNames(tools: Tools): Situation[] {
  const { port, file } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const web = listener('web', port('web'), inline(route('/', 'a')));
  const timed = (type: FileType) => ({ ...fileSource(file(type)), initial_fetch_timeout: '1s' });
  return [
    {
      ...byLds(tools, 'two listeners of one name', [
        web,
        listener('web', port('other'), inline(route('/', 'a'))),
      ]),
      requests: [{ listener: 'web', path: '/' }],
    },
    byCds(tools, 'two clusters of one name', [good, cluster('a', fixed('a', [port('closed')]))]),
    {
      ...over(tools, 'routes under another name than the listener has', fixed('a', [port('good')])),
      listeners: [listener('web', port('web'), fromSource('routes', timed('routes')))],
      files: { routes: [response('routes', { name: 'others', virtual_hosts: [host(route('/', 'a'))] })] },
      isOfOther: true,
    },
    {
      ...over(tools, 'a secret under another name than the listener has', fixed('a', [port('good')])),
      listeners: [
        listener('web', port('web'), inline(route('/', 'a')), tlsFromFile('cert', file('secrets'))),
      ],
      files: { secrets: [response('secrets', { name: 'other', tls_certificate: {} })] },
      requests: [{ ...toA, isTls: true }],
      isOfOther: true,
    },
    {
      ...over(tools, 'a secret that is no certificate', fixed('a', [port('good')])),
      listeners: [
        listener('web', port('web'), inline(route('/', 'a')), tlsFromFile('cert', file('secrets'))),
      ],
      files: {
        secrets: [response('secrets', { name: 'cert', generic_secret: { secret: { inline_string: 'x' } } })],
      },
      requests: [{ ...toA, isTls: true }],
    },
  ];
}

/** Content of EDS and RDS. */
function withContent(tools: Tools): Situation[] {
  const { port, file } = tools;
  const byEds = (name: string, ...versions: object[]): Situation => ({
    ...over(tools, name, edsFromFile(file('endpoints'))),
    files: { endpoints: versions.map((each) => response('endpoints', each)) },
  });
  const byRds = (name: string, ...versions: object[]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    files: { routes: versions.map((each) => response('routes', each)) },
  });
  const of = (...own: object[]) => ({ name: 'routes', virtual_hosts: [host(...own)] });
  const weightless = endpoint(port('good'), { load_balancing_weight: 0 });
  const good = endpoint(port('good'));
  const named = (more: object) => ({
    name: 'named',
    domains: ['shop.example'],
    routes: [route('/', 'a')],
    ...more,
  });
  return [
    byEds('an endpoint with the weight 0', {
      cluster_name: 'a',
      endpoints: [{ lb_endpoints: [weightless] }],
    }),
    byEds('an endpoint that is there twice', {
      cluster_name: 'a',
      endpoints: [{ lb_endpoints: [good, good] }],
    }),
    byEds(
      'endpoints that come back',
      endpoints('a', [port('good')]),
      { cluster_name: 'a' },
      endpoints('a', [port('good')]),
    ),
    byRds(
      'a route whose regular expression is broken',
      of({
        match: { safe_regex: { regex: '[' } },
        route: { cluster: 'a' },
      }),
    ),
    byRds('a route without an action', of({ match: { prefix: '/' } })),
    {
      ...byRds('two virtual hosts of one domain, the second of which came later', of(route('/', 'a')), {
        name: 'routes',
        virtual_hosts: [host(route('/', 'a')), named({}), named({ name: 'again' })],
      }),
    },
    byRds('routes of which the second version leads nowhere', of(route('/', 'a')), of(route('/', 'gone'))),
  ];
}
