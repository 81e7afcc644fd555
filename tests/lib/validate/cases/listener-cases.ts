import { LDS } from '@/lib/xds/resource-type';
import { any, fault, lua, rbac, router, typedStruct } from './any';
import { type Family, mutationsOf } from './mutation';

const manager = (fields: object = {}) =>
  any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix: 'x',
    rds: { configSource: { ads: {} }, routeConfigName: 'rt' },
    httpFilters: [{ name: 'router', typedConfig: router }],
    ...fields,
  });

const api = 'apiListener.apiListener';
const filters = `${api}.httpFilters`;
const filter = (name: string, typedConfig: unknown, more: object = {}) => ({ name, typedConfig, ...more });
const last = filter('router', router);

/** What a client asks for. Envoy takes API listeners from its bootstrap alone: it never rejects one. */
export const apiListener: Family = {
  typeUrl: LDS.typeUrl,
  base: { name: 'svc', apiListener: { apiListener: manager() } },
  mutations: mutationsOf([
    ['no name', 'name', undefined, 'g', '2.1'],
    ['api listener of another type', api, router, 'cgjn', 'L2'],
    ['api listener without content', 'apiListener', {}, 'cgj', 'L2'],
    [
      'api listener in a TypedStruct',
      api,
      typedStruct('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
      'cgjn',
      'L2',
    ],
    ['xff hops 1', `${api}.xffNumTrustedHops`, 1, 'cgj', 'L3'],
    ['original ip detection', `${api}.originalIpDetectionExtensions`, [{ name: 'x' }], 'cgj', 'L4'],
    [
      'max stream duration negative',
      `${api}.commonHttpProtocolOptions`,
      { maxStreamDuration: '-1s' },
      'c',
      'L5',
    ],
    ['max stream duration zero', `${api}.commonHttpProtocolOptions`, { maxStreamDuration: '0s' }, ''],
    ['idle timeout negative', `${api}.commonHttpProtocolOptions`, { idleTimeout: '-1s' }, ''],
    ['filter without name', filters, [filter('', fault), last], 'cgj', 'L6'],
    ['no filters', filters, [], 'cgj', 'L6'],
    ['only an optional unknown filter', filters, [filter('lua', lua, { isOptional: true })], 'cgjn', 'L6'],
    ['duplicate names', filters, [filter('a', fault), filter('a', fault), last], 'cgjn', 'L7'],
    [
      'duplicate names, one optional and unknown',
      filters,
      [filter('a', lua, { isOptional: true }), filter('a', fault), last],
      'cgjn',
      'L7',
    ],
    ['unknown filter', filters, [filter('lua', lua), last], 'cgjn', 'L8'],
    ['unknown filter, optional', filters, [filter('lua', lua, { isOptional: true }), last], ''],
    ['filter without config', filters, [{ name: 'x' }, last], 'cgjn', 'L8'],
    ['filter without config, optional', filters, [{ name: 'x', isOptional: true }, last], 'n', 'L8'],
    [
      'unknown filter in a TypedStruct',
      filters,
      [filter('x', typedStruct('acme.Filter')), last],
      'cgjn',
      'L8',
    ],
    [
      'unknown filter in a TypedStruct, optional',
      filters,
      [filter('x', typedStruct('acme.Filter'), { isOptional: true }), last],
      '',
    ],
    [
      'ECDS',
      filters,
      [{ name: 'x', configDiscovery: { configSource: { ads: {} }, typeUrls: ['x'] } }, last],
      'cgjn',
      'L8',
    ],
    ['RBAC on the client', filters, [filter('rbac', rbac), last], 'cgjn', 'L9'],
    ['RBAC on the client, optional', filters, [filter('rbac', rbac, { isOptional: true }), last], ''],
    [
      'fault in a TypedStruct',
      filters,
      [filter('f', typedStruct('envoy.extensions.filters.http.fault.v3.HTTPFault')), last],
      'cgjn',
      'L10',
    ],
    [
      'fault in a udpa TypedStruct',
      filters,
      [
        filter('f', typedStruct('envoy.extensions.filters.http.fault.v3.HTTPFault', {}, 'udpa.type.v1')),
        last,
      ],
      'cgjn',
      'L10',
    ],
    [
      'router in a TypedStruct',
      filters,
      [filter('r', typedStruct('envoy.extensions.filters.http.router.v3.Router'))],
      'cg',
      'L10',
    ],
    ['router missing', filters, [filter('fault', fault)], 'cgjn', 'L11'],
    ['router not last', filters, [last, filter('fault', fault)], 'cgjn', 'L11'],
    ['two routers', filters, [filter('a', router), filter('b', router)], 'cgjn', 'L11'],
    [
      'optional unknown filter after the router',
      filters,
      [last, filter('lua', lua, { isOptional: true })],
      'n',
      'L11',
    ],
    ['fault before the router', filters, [filter('fault', fault), last], ''],
    ['no route specifier', `${api}.rds`, undefined, 'cgjn', 'L12'],
    [
      'scoped routes',
      api,
      manager({
        rds: undefined,
        scopedRoutes: { name: 's', scopedRds: { scopedRdsConfigSource: { ads: {} } } },
      }),
      'cgjn',
      'L12',
    ],
    ['rds from a path', `${api}.rds.configSource`, { path: '/x' }, 'cgjn', 'L13'],
    ['rds without config source', `${api}.rds.configSource`, undefined, 'cgjn', 'L13'],
    ['rds from self', `${api}.rds.configSource`, { self: {} }, ''],
    ['rds without name', `${api}.rds.routeConfigName`, undefined, 'g', 'L14'],
    [
      'inline routes',
      api,
      manager({
        rds: undefined,
        routeConfig: {
          virtualHosts: [
            { name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'c' } }] },
          ],
        },
      }),
      '',
    ],
    [
      'inline routes without match',
      api,
      manager({
        rds: undefined,
        routeConfig: { virtualHosts: [{ name: 'v', domains: ['*'], routes: [{ route: { cluster: 'c' } }] }] },
      }),
      'cgjn',
      'R5',
    ],
    ['listener filters beside it', 'listenerFilters', [{ name: 'x' }], 'n', 'S2'],
    ['original destination beside it', 'useOriginalDst', true, 'n', 'S3'],
    ['an empty filter chain beside it', 'filterChains', [{}], 'n', 'S4'],
    [
      'grpc status 17',
      filters,
      [
        filter(
          'f',
          any('envoy.extensions.filters.http.fault.v3.HTTPFault', {
            abort: { grpcStatus: 17, percentage: {} },
          }),
        ),
        last,
      ],
      'c',
      'A33',
    ],
    [
      'grpc status 14',
      filters,
      [
        filter(
          'f',
          any('envoy.extensions.filters.http.fault.v3.HTTPFault', {
            abort: { grpcStatus: 14, percentage: {} },
          }),
        ),
        last,
      ],
      '',
    ],
    [
      'abort without percentage',
      filters,
      [
        filter('f', any('envoy.extensions.filters.http.fault.v3.HTTPFault', { abort: { httpStatus: 503 } })),
        last,
      ],
      'n',
      'A33',
    ],
    [
      'abort of nothing',
      filters,
      [
        filter('f', any('envoy.extensions.filters.http.fault.v3.HTTPFault', { abort: { percentage: {} } })),
        last,
      ],
      'n',
      'A33',
    ],
    [
      'abort by header',
      filters,
      [
        filter(
          'f',
          any('envoy.extensions.filters.http.fault.v3.HTTPFault', {
            abort: { headerAbort: {}, percentage: {} },
          }),
        ),
        last,
      ],
      '',
    ],
    [
      'delay without percentage',
      filters,
      [
        filter('f', any('envoy.extensions.filters.http.fault.v3.HTTPFault', { delay: { fixedDelay: '1s' } })),
        last,
      ],
      'n',
      'A33',
    ],
    [
      'delay of nothing',
      filters,
      [
        filter('f', any('envoy.extensions.filters.http.fault.v3.HTTPFault', { delay: { percentage: {} } })),
        last,
      ],
      'n',
      'A33',
    ],
    [
      'no faults at all',
      filters,
      [filter('f', any('envoy.extensions.filters.http.fault.v3.HTTPFault')), last],
      '',
    ],
    [
      'stateful session, optional, without cookie name',
      filters,
      [
        filter(
          's',
          any('envoy.extensions.filters.http.stateful_session.v3.StatefulSession', {
            sessionState: {
              name: 'x',
              typedConfig: any('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState', {
                cookie: {},
              }),
            },
          }),
          { isOptional: true },
        ),
        last,
      ],
      '',
      'A55',
    ],
    [
      'gcp_authn, optional, with an empty cache',
      filters,
      [
        filter(
          's',
          any('envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig', {
            cacheConfig: { cacheSize: '0' },
          }),
          { isOptional: true },
        ),
        last,
      ],
      '',
      'A83',
    ],
  ]),
};

const chain = (fields: object = {}) => ({ filters: [{ name: 'hcm', typedConfig: manager() }], ...fields });
const chainWith = (managerFields: object) => [
  { filters: [{ name: 'hcm', typedConfig: manager(managerFields) }] },
];
const match = (filterChainMatch: object, fields: object = {}) => chain({ filterChainMatch, ...fields });
const range = (addressPrefix: string, prefixLen: number) => ({ addressPrefix, prefixLen });
const tls = (fields: object, name = 'envoy.transport_sockets.tls') => ({
  name,
  typedConfig: any('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', fields),
});
const identity = { tlsCertificateProviderInstance: { instanceName: 'p' } };
const ca = { validationContext: { caCertificateProviderInstance: { instanceName: 'p' } } };
const policy = (fields: object) => [
  {
    filters: [
      {
        name: 'hcm',
        typedConfig: manager({
          httpFilters: [
            filter(
              'rbac',
              any('envoy.extensions.filters.http.rbac.v3.RBAC', {
                rules: {
                  policies: { p: { permissions: [{ any: true }], principals: [{ any: true }], ...fields } },
                },
              }),
            ),
            last,
          ],
        }),
      },
    ],
  },
];

/** What a server asks for. grpc-js-xds has RBAC switched off: it rejects the filter, whatever it says. */
export const socketListener: Family = {
  typeUrl: LDS.typeUrl,
  base: {
    name: 'grpc/server?xds.resource.listening_address=0.0.0.0:80',
    address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
    filterChains: [chain()],
  },
  mutations: mutationsOf([
    ['no address', 'address', undefined, 'cgje', 'S1'],
    ['pipe', 'address', { pipe: { path: '/x' } }, 'cgj', 'S1'],
    ['UDP', 'address.socketAddress.protocol', 'UDP', 'cj', 'S1'],
    ['port too large', 'address.socketAddress.portValue', 65536, 'cje', 'S1'],
    ['port of 65535', 'address.socketAddress.portValue', 65535, ''],
    ['listener filters', 'listenerFilters', [{ name: 'x' }], 'gjn', 'S2'],
    ['original destination', 'useOriginalDst', true, 'cgjn', 'S3'],
    ['original destination off', 'useOriginalDst', false, ''],
    ['chain without filters', 'filterChains', [{}], 'cgjn', 'S4'],
    [
      'chain with two managers',
      'filterChains',
      [
        {
          filters: [
            { name: 'a', typedConfig: manager() },
            { name: 'b', typedConfig: manager() },
          ],
        },
      ],
      'cjn',
      'S4',
    ],
    [
      'chain with two managers of one name',
      'filterChains',
      [
        {
          filters: [
            { name: 'a', typedConfig: manager() },
            { name: 'a', typedConfig: manager() },
          ],
        },
      ],
      'cgjn',
      'S4',
    ],
    ['filter without name', 'filterChains', [{ filters: [{ typedConfig: manager() }] }], 'ge', 'S4'],
    [
      'another network filter',
      'filterChains',
      [
        {
          filters: [
            {
              name: 'x',
              typedConfig: any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
                statPrefix: 'x',
                cluster: 'c',
              }),
            },
          ],
        },
      ],
      'cgjn',
      'S4',
    ],
    ['filter without config', 'filterChains', [{ filters: [{ name: 'x' }] }], 'cgjn', 'S4'],
    ['no chains', 'filterChains', [], 'cgjne', 'S7'],
    ['default chain alone', 'defaultFilterChain', chain(), ''],
    ['chains for a port alone', 'filterChains', [match({ destinationPort: 80 })], 'g', 'S7'],
    ['chains for a server name alone', 'filterChains', [match({ serverNames: ['x'] })], 'g', 'S7'],
    ['bad prefix', 'filterChains', [match({ prefixRanges: [range('x', 8)] })], 'cgjne', 'S5'],
    [
      'bad source prefix',
      'filterChains',
      [match({ sourcePrefixRanges: [range('10.0.0', 8)] })],
      'cgjne',
      'S5',
    ],
    ['prefix too long', 'filterChains', [match({ prefixRanges: [range('10.0.0.0', 33)] })], 'g', 'S5'],
    ['good prefix', 'filterChains', [match({ prefixRanges: [range('10.1.2.3', 8)] })], ''],
    ['two chains without match', 'filterChains', [chain(), chain()], 'cgje', 'S6'],
    [
      'two equal matches',
      'filterChains',
      [match({ sourcePorts: [1] }), match({ sourcePorts: [1] })],
      'cgjne',
      'S6',
    ],
    [
      'two matches that are equal when masked',
      'filterChains',
      [match({ prefixRanges: [range('10.1.0.0', 8)] }), match({ prefixRanges: [range('10.2.0.0', 8)] })],
      'cgjne',
      'S6',
    ],
    ['two different matches', 'filterChains', [match({ sourcePorts: [1] }), match({ sourcePorts: [2] })], ''],
    [
      'an overlap of ports',
      'filterChains',
      [match({ sourcePorts: [1, 2] }), match({ sourcePorts: [2, 3] })],
      'cgjne',
      'S6',
    ],
    ['raw_buffer beside nothing', 'filterChains', [chain(), match({ transportProtocol: 'raw_buffer' })], ''],
    [
      'raw_buffer twice',
      'filterChains',
      [match({ transportProtocol: 'raw_buffer' }), match({ transportProtocol: 'raw_buffer' })],
      'cgjne',
      'S6',
    ],
    [
      'tls twice',
      'filterChains',
      [chain(), match({ transportProtocol: 'tls' }), match({ transportProtocol: 'tls' })],
      'ne',
      'S6',
    ],
    ['xff hops 1', 'filterChains', chainWith({ xffNumTrustedHops: 1 }), 'cgj', 'L3'],
    [
      'rds from self',
      'filterChains',
      chainWith({ rds: { configSource: { self: {} }, routeConfigName: 'rt' } }),
      'g',
      'L13',
    ],
    ['rds without name', 'filterChains', chainWith({ rds: { configSource: { ads: {} } } }), 'g', 'L14'],
    [
      'fault on the server',
      'filterChains',
      chainWith({ httpFilters: [filter('f', fault), last] }),
      'cgjn',
      'L9',
    ],
    [
      'fault on the server, optional',
      'filterChains',
      chainWith({ httpFilters: [filter('f', fault, { isOptional: true }), last] }),
      '',
    ],
    ['stat prefix empty', 'filterChains', chainWith({ statPrefix: '' }), 'e', 'PGV'],
    ['RBAC', 'filterChains', policy({}), 'n', 'L8'],
    ['RBAC with a condition', 'filterChains', policy({ condition: {} }), 'cgjn', 'A41'],
    [
      'RBAC on :scheme',
      'filterChains',
      policy({ principals: [{ header: { name: ':scheme', exactMatch: 'x' } }] }),
      'cgjn',
      'A41',
    ],
    [
      'RBAC on grpc-*',
      'filterChains',
      policy({ permissions: [{ header: { name: 'grpc-foo', exactMatch: 'x' } }] }),
      'cgjn',
      'A41',
    ],
    [
      'RBAC on grpc-* inside a not',
      'filterChains',
      policy({ permissions: [{ notRule: { header: { name: 'grpc-foo', exactMatch: 'x' } } }] }),
      'cjn',
      'A41',
    ],
    [
      'RBAC with a bad address',
      'filterChains',
      policy({ principals: [{ directRemoteIp: range('x', 8) }] }),
      'gjne',
      'A41',
    ],
    [
      'RBAC with a bad regex',
      'filterChains',
      policy({ permissions: [{ urlPath: { path: { safeRegex: { regex: '[' } } } }] }),
      'gjne',
      'A41',
    ],
    [
      'RBAC with a path of nothing',
      'filterChains',
      policy({ permissions: [{ urlPath: {} }] }),
      'cgjne',
      'A41',
    ],
    [
      'RBAC with an empty prefix',
      'filterChains',
      policy({ permissions: [{ urlPath: { path: { prefix: '' } } }] }),
      'gne',
      'A41',
    ],
    ['RBAC with an empty rule', 'filterChains', policy({ permissions: [{}] }), 'cne', 'A41'],
    ['TLS', 'filterChains', [chain({ transportSocket: tls({ commonTlsContext: identity }) })], ''],
    [
      'TLS by another name',
      'filterChains',
      [chain({ transportSocket: tls({ commonTlsContext: identity }, 'x') })],
      'gn',
      'S8',
    ],
    [
      'upstream TLS',
      'filterChains',
      [
        chain({
          transportSocket: {
            name: 'envoy.transport_sockets.tls',
            typedConfig: any('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
          },
        }),
      ],
      'cgjn',
      'S8',
    ],
    ['TLS without context', 'filterChains', [chain({ transportSocket: tls({}) })], 'cgjn', 'S8'],
    [
      'TLS of another provider',
      'filterChains',
      [
        chain({
          transportSocket: tls({
            commonTlsContext: { tlsCertificateProviderInstance: { instanceName: 'q' } },
          }),
        }),
      ],
      'cgjn',
      'S8',
    ],
    [
      'TLS with client certificates',
      'filterChains',
      [
        chain({
          transportSocket: tls({ requireClientCertificate: true, commonTlsContext: { ...identity, ...ca } }),
        }),
      ],
      '',
    ],
    [
      'TLS with client certificates, no CA',
      'filterChains',
      [chain({ transportSocket: tls({ requireClientCertificate: true, commonTlsContext: identity }) })],
      'cgjn',
      'S8',
    ],
    [
      'TLS that requires SNI',
      'filterChains',
      [chain({ transportSocket: tls({ requireSni: true, commonTlsContext: identity }) })],
      'cgjn',
      'S8',
    ],
    [
      'TLS with strict stapling',
      'filterChains',
      [chain({ transportSocket: tls({ ocspStaplePolicy: 'STRICT_STAPLING', commonTlsContext: identity }) })],
      'cgjn',
      'S8',
    ],
    [
      'TLS with names of clients',
      'filterChains',
      [
        chain({
          transportSocket: tls({
            commonTlsContext: {
              ...identity,
              validationContext: { ...ca.validationContext, matchSubjectAltNames: [{ exact: 'x' }] },
            },
          }),
        }),
      ],
      'cgj',
      'S8',
    ],
    [
      'TLS with params',
      'filterChains',
      [chain({ transportSocket: tls({ commonTlsContext: { ...identity, tlsParams: {} } }) })],
      'cgjn',
      'S8',
    ],
    [
      'TLS with a CRL',
      'filterChains',
      [
        chain({
          transportSocket: tls({
            commonTlsContext: {
              ...identity,
              validationContext: { ...ca.validationContext, crl: { filename: 'x' } },
            },
          }),
        }),
      ],
      'cgjn',
      'S8',
    ],
    [
      'TLS with a validation context of nothing',
      'filterChains',
      [chain({ transportSocket: tls({ commonTlsContext: { ...identity, validationContext: {} } }) })],
      'g',
      'S8',
    ],
  ]),
};
