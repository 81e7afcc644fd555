import { describe, expect, it } from 'vitest';
import { RDS } from '@/lib/xds/resource-type';
import { edsCluster, endpoints, type MeshResource } from '@/tests/support/builders/topology-mesh';
import { cart, edge, explainAtEdge, extension, routes, to } from './edge-mesh';

describe('a request', () => {
  it('lists the filters in order: which run, which are disabled here, and which may answer', () => {
    const filter = (name: string, type: string, more: object = {}) => ({
      ...{ name, typedConfig: { '@type': `${extension}http.${type}` } },
      ...more,
    });
    const filters = [
      filter('cors', 'cors.v3.Cors'),
      filter('authz', 'ext_authz.v3.ExtAuthz'),
      filter('limit', 'local_ratelimit.v3.LocalRateLimit', { disabled: true }),
      filter('own', 'own.v3.Own'),
    ];
    const off = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };
    const table = routes({ ...to('cart', { prefix: '/' }), typedPerFilterConfig: { cors: off } });
    const { steps, branches } = explainAtEdge([edge({ filters }), table, ...cart], 'GET shop.example/');
    expect(branches).toMatchObject([
      { kind: 'forwarded', when: 'filters authz, own let it pass unchanged' },
      { kind: 'failed', filter: 'authz', flag: 'UAEX', when: 'filter authz answers' },
      { kind: 'unknown', filter: 'own' },
    ]);
    const found = steps.filter(({ stage }) => stage === 'http-filter');
    expect(found.map(({ title, verdict }) => `${title} ${verdict}`)).toEqual([
      'filter cors not-taken',
      'filter authz depends',
      'filter limit not-taken',
      'filter own unknown',
      'filter router taken',
    ]);
  });

  it('is answered as a health check only if all headers match', () => {
    const headers = [
      { name: ':path', stringMatch: { exact: '/alive' } },
      { name: 'x-check', presentMatch: true },
    ];
    const health = {
      name: 'health',
      typedConfig: { '@type': `${extension}http.health_check.v3.HealthCheck`, headers },
    };
    const table = routes(to('cart', { prefix: '/' }));
    const kindsOf = (line: string, ...own: string[]) =>
      explainAtEdge([edge({ filters: [health] }), table, ...cart], line, ...own).branches.map(
        ({ kind }) => kind,
      );
    expect(kindsOf('GET shop.example/alive', 'x-check: 1')).toEqual(['forwarded', 'unknown']);
    expect(kindsOf('GET shop.example/alive')).toEqual(['forwarded']);
    expect(kindsOf('GET shop.example/', 'x-check: 1')).toEqual(['forwarded']);
  });

  it('is denied by a filter whose external service has no endpoint', () => {
    const authz = (more: object) => ({
      name: 'authz',
      typedConfig: {
        '@type': `${extension}http.ext_authz.v3.ExtAuthz`,
        ...{ grpcService: { envoyGrpc: { clusterName: 'auth' } }, ...more },
      },
    });
    const auth = [edsCluster('auth'), endpoints('auth', [])];
    const table = routes(to('cart', { prefix: '/' }));
    const explained = (more: object, ...others: MeshResource[]) =>
      explainAtEdge([edge({ filters: [authz(more)] }), table, ...cart, ...others], 'GET shop.example/')
        .branches;
    expect(explained({}, ...auth)).toMatchObject([
      {
        kind: 'failed',
        status: 403,
        flag: 'UAEX',
        text: expect.stringContaining('its service cannot be called'),
      },
    ]);
    expect(explained({ failureModeAllow: true }, ...auth)).toMatchObject([{ kind: 'forwarded', when: '' }]);
  });

  const rbac = (action: string, color: string) => ({
    '@type': `${extension}http.rbac.v3.RBAC`,
    rules: {
      action,
      policies: {
        p: {
          permissions: [{ header: { name: 'x-color', stringMatch: { exact: color } } }],
          principals: [{ any: true }],
        },
      },
    },
  });
  const perRoute = (action: string, color: string) => ({
    typedPerFilterConfig: {
      rbac: { '@type': `${extension}http.rbac.v3.RBACPerRoute`, rbac: rbac(action, color) },
    },
  });
  const abortOf = (numerator: number) => ({
    ...{ '@type': `${extension}http.fault.v3.HTTPFault` },
    abort: { httpStatus: 418, percentage: { numerator } },
  });

  const chooser = (action: object, more: object = {}) => ({
    xdsMatcher: {
      matcherList: {
        matchers: [
          {
            predicate: {
              singlePredicate: {
                input: {
                  name: 'header',
                  typedConfig: {
                    '@type': 'type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput',
                    headerName: 'x-color',
                  },
                },
                valueMatch: { exact: 'blue' },
              },
            },
            onMatch: { action: { name: 'a', typedConfig: action } },
          },
        ],
      },
      ...more,
    },
  });
  const matching = 'type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher';
  const skip = { '@type': `${extension}common.matcher.action.v3.SkipFilter` };
  const execute = {
    '@type': `${extension}http.composite.v3.ExecuteFilterAction`,
    typedConfig: { name: 'fault', typedConfig: abortOf(100) },
  };
  const wrap = (own: object, matcher: object) => [
    {
      name: 'chosen',
      typedConfig: { '@type': matching, extensionConfig: { name: 'own', typedConfig: own }, ...matcher },
    },
  ];
  const composite = { '@type': `${extension}http.composite.v3.Composite` };
  const perRouteMatcher = {
    typedPerFilterConfig: { chosen: { '@type': `${matching}PerRoute`, ...chooser(skip) } },
  };
  const always = chooser(skip, { onNoMatch: { action: { name: 'a', typedConfig: skip } } });

  it.each<[string, object[], object, string, string]>([
    ['skips a filter', wrap(abortOf(100), chooser(skip)), {}, 'forwarded not-taken', 'failed taken'],
    [
      'skips it by the route',
      wrap(abortOf(100), always),
      perRouteMatcher,
      'forwarded not-taken',
      'failed taken',
    ],
    ['chooses a filter', wrap(composite, chooser(execute)), {}, 'failed taken', 'forwarded not-taken'],
  ])('runs a filter as its matcher decides: it %s', (_, filters, ofRoute, blue, red) => {
    const table = routes({ ...to('cart', { prefix: '/' }), ...ofRoute });
    const outcome = (color: string) => {
      const { steps, branches } = explainAtEdge(
        [edge({ filters }), table, ...cart],
        'GET shop.example/',
        `x-color: ${color}`,
      );
      return [
        ...branches.map(({ kind }) => kind),
        steps.find(({ title }) => title === 'filter chosen')?.verdict,
      ].join(' ');
    };
    expect([outcome('blue'), outcome('red')]).toEqual([blue, red]);
  });

  it('ends at the first filter that answers for certain, before the route decides', () => {
    const filters = [{ name: 'rbac', typedConfig: rbac('ALLOW', 'blue') }];
    for (const table of [
      routes(to('cart', { prefix: '/' })),
      routes(to('cart', { path: '/none' })),
      routes(),
    ])
      expect(explainAtEdge([edge({ filters }), table, ...cart], 'GET shop.example/').branches).toMatchObject([
        { kind: 'failed', status: 403, filter: 'rbac', when: '' },
      ]);
    expect(explainAtEdge([edge({ filters }), routes()], 'GET other.example/').branches).toMatchObject([
      { kind: 'failed', status: 403, filter: 'rbac' },
    ]);
  });

  it('has shares where filters answer a known share of requests', () => {
    const filters = [
      { name: 'first', typedConfig: abortOf(20) },
      { name: 'second', typedConfig: abortOf(50) },
    ];
    const { branches } = explainAtEdge(
      [edge({ filters }), routes(to('cart', { prefix: '/' })), ...cart],
      'GET shop.example/',
    );
    expect(branches.map(({ kind, filter, percent, when }) => [kind, filter, percent, when])).toEqual([
      ['forwarded', undefined, 40, 'filters first, second let it pass unchanged'],
      ['failed', 'first', 20, 'filter first answers'],
      ['failed', 'second', 40, 'filter first lets it pass unchanged; filter second answers'],
    ]);
  });

  it('is seen by later filters with the headers that earlier filters set, and by routes without them', () => {
    const set = { append: { header: { key: 'x-color', value: 'blue' } } };
    const mutation = {
      '@type': `${extension}http.header_mutation.v3.HeaderMutation`,
      mutations: { requestMutations: [set] },
    };
    const filters = [
      { name: 'set', typedConfig: mutation },
      { name: 'rbac', typedConfig: rbac('ALLOW', 'blue') },
    ];
    const blue = { prefix: '/', headers: [{ name: 'x-color', exactMatch: 'blue' }] };
    const table = routes(to('gone', blue), to('cart', { prefix: '/' }));
    expect(explainAtEdge([edge({ filters }), table, ...cart], 'GET shop.example/').branches).toMatchObject([
      { kind: 'forwarded', cluster: 'cart' },
    ]);
  });

  it('is treated by the most specific config of a filter: weighted cluster, route, virtual host, route configuration', () => {
    const filters = [{ name: 'rbac', typedConfig: rbac('DENY', 'own') }];
    const colors = ['own', 'cluster', 'route', 'host', 'table'];
    const deniedColors = (owners: readonly string[]) => {
      const at = (owner: string) => (owners.includes(owner) ? perRoute('DENY', owner) : {});
      const weightedClusters = { clusters: [{ name: 'cart', weight: 1, ...at('cluster') }] };
      const route = { match: { prefix: '/' }, route: { weightedClusters }, ...at('route') };
      const host = { name: 'shop', domains: ['*'], routes: [route], ...at('host') };
      const body = { name: 'routes', virtualHosts: [host], ...at('table') };
      const all = [edge({ filters }), { typeUrl: RDS.typeUrl, name: 'routes', body }, ...cart];
      return colors.filter(
        (color) =>
          explainAtEdge(all, 'GET shop.example/', `x-color: ${color}`).branches[0]?.kind === 'failed',
      );
    };
    expect(deniedColors([])).toEqual(['own']);
    expect(deniedColors(['table'])).toEqual(['table']);
    expect(deniedColors(['table', 'host'])).toEqual(['host']);
    expect(deniedColors(['table', 'host', 'route'])).toEqual(['route']);
    expect(deniedColors(['table', 'host', 'route', 'cluster'])).toEqual(['cluster']);
  });

  it('is treated by the filters of each weighted cluster that has its own', () => {
    const clusters = [
      { name: 'cart', weight: 1, ...perRoute('ALLOW', 'blue') },
      { name: 'cart', weight: 3 },
    ];
    const filters = [{ name: 'rbac', typedConfig: rbac('DENY', 'blue') }];
    const table = routes({ match: { prefix: '/' }, route: { weightedClusters: { clusters } } });
    const { branches } = explainAtEdge([edge({ filters }), table, ...cart], 'GET shop.example/');
    expect(branches).toMatchObject([
      { kind: 'failed', status: 403, when: 'weight 1 of 4', percent: 25 },
      { kind: 'forwarded', when: 'weight 3 of 4', percent: 75 },
    ]);
  });

  it('that is a gRPC request gets status 200 and a gRPC status of Envoy itself', () => {
    const grpc = ['content-type: application/grpc'];
    const filters = [{ name: 'rbac', typedConfig: rbac('DENY', 'blue') }];
    const all = [edge({ filters }), routes(to('gone', { path: '/gone' })), ...cart];
    const answerTo = (path: string, ...more: readonly string[]) =>
      explainAtEdge(all, `POST shop.example${path}`, ...grpc, ...more).branches;
    expect(answerTo('/none')).toMatchObject([{ status: 200, grpcCode: 'UNIMPLEMENTED', flag: 'NR' }]);
    expect(answerTo('/gone')).toMatchObject([{ status: 200, grpcCode: 'UNAVAILABLE', flag: 'NC' }]);
    expect(answerTo('/gone', 'x-color: blue')).toMatchObject([
      { status: 200, grpcCode: 'PERMISSION_DENIED' },
    ]);
  });

  it('with escaped slashes is redirected; a gRPC request is rejected, and an external processor sees the answer', () => {
    const manager = { pathWithEscapedSlashesAction: 'UNESCAPE_AND_REDIRECT' };
    const at = (filters: readonly object[], ...headers: readonly string[]) =>
      explainAtEdge(
        [edge({ manager: { ...manager, httpFilters: filters } })],
        'GET shop.example/a%2fb',
        ...headers,
      ).branches;
    expect(at([])).toMatchObject([{ kind: 'answered', status: 307, location: '/a/b' }]);
    expect(at([], 'content-type: application/grpc')).toMatchObject([{ status: 200, grpcCode: 'INTERNAL' }]);
    const proc = { name: 'proc', typedConfig: { '@type': `${extension}http.ext_proc.v3.ExternalProcessor` } };
    expect(at([proc])).toMatchObject([{ status: 307 }, { kind: 'unknown', filter: 'proc' }]);
  });
});
