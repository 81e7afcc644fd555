import { any, fault, lua, router, typedStruct } from '../cases/any';
import { apiListener, socketListener } from '../cases/listener-cases';
import { type ConformanceTable, foreignHost, garbage } from './conformance-case';

const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const manager = (fields: object = {}) =>
  any(managerType, {
    statPrefix: 'x',
    rds: { configSource: { ads: {} }, routeConfigName: 'rt' },
    httpFilters: [{ name: 'router', typedConfig: router }],
    ...fields,
  });
const api = 'apiListener.apiListener';
const filters = `${api}.httpFilters`;
const filter = (name: string, typedConfig: unknown, more: object = {}) => ({ name, typedConfig, ...more });
const last = filter('router', router);
const optional = { isOptional: true };
const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';
const faultOf = (fields: object) => [filter('f', any(faultType, fields)), last];
const limits = `${api}.commonHttpProtocolOptions`;
const tcp = any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', { statPrefix: 'x', cluster: 'c' });
const inline = (routes: unknown[]) => ({
  rds: undefined,
  routeConfig: { virtualHosts: [{ name: 'v', domains: ['*'], routes }] },
});

export const apiListenerTable: ConformanceTable = {
  family: apiListener,
  rows: [
    ['garbage', api, garbage(managerType)],
    ['of another host', api, foreignHost(managerType)],
    ['xff hops at the most', `${api}.xffNumTrustedHops`, 4294967295],
    ['max stream duration at the most', limits, { maxStreamDuration: '315576000000s' }],
    ['max stream duration too long', limits, { maxStreamDuration: { seconds: '315576000001' } }],
    ['max stream duration with too many nanos', limits, { maxStreamDuration: { nanos: 1000000000 } }],
    ['max stream duration with negative nanos', limits, { maxStreamDuration: { seconds: '1', nanos: -1 } }],
    ['filter garbage', filters, [filter('f', garbage(faultType)), last]],
    ['filter garbage, optional', filters, [filter('f', garbage(faultType), optional), last]],
    [
      'unknown filter that is garbage, optional',
      filters,
      [filter('f', garbage('acme.Filter'), optional), last],
    ],
    [
      'router that is garbage',
      filters,
      [filter('r', garbage('envoy.extensions.filters.http.router.v3.Router'))],
    ],
    [
      'RBAC that is garbage, optional',
      filters,
      [filter('f', garbage('envoy.extensions.filters.http.rbac.v3.RBAC'), optional), last],
    ],
    [
      'router of another host',
      filters,
      [filter('r', foreignHost('envoy.extensions.filters.http.router.v3.Router'))],
    ],
    ['optional filter of another host', filters, [filter('f', foreignHost(faultType), optional), last]],
    ['the router optional', filters, [filter('r', router, optional)]],
    ['the router optional, then a fault', filters, [filter('r', router, optional), filter('f', fault)]],
    ['unknown filter without name, optional', filters, [filter('', lua, optional), last]],
    ['the router without name', filters, [filter('', router)]],
    ['names that differ in case', filters, [filter('a', fault), filter('A', fault), last]],
    ['disabled filter', filters, [filter('l', lua, { disabled: true }), last]],
    ['disabled fault', filters, [filter('f', fault, { disabled: true }), last]],
    [
      'Any without type',
      filters,
      [
        { name: 'x', typedConfig: { '@type': '', 'xdscope.opaque': { reason: 'no type', valueBase64: '' } } },
        last,
      ],
    ],
    ['TypedStruct without type', filters, [filter('x', any('xds.type.v3.TypedStruct', { value: {} })), last]],
    [
      'TypedStruct without type, optional',
      filters,
      [filter('x', any('xds.type.v3.TypedStruct', { value: {} }), optional), last],
    ],
    [
      'TypedStruct of RBAC, optional',
      filters,
      [filter('x', typedStruct('envoy.extensions.filters.http.rbac.v3.RBAC'), optional), last],
    ],
    [
      'TypedStruct without value',
      filters,
      [
        filter('x', any('xds.type.v3.TypedStruct', { typeUrl: 'type.googleapis.com/acme.Filter' }), optional),
        last,
      ],
    ],
    [
      'TypedStruct with a short type',
      filters,
      [filter('x', any('xds.type.v3.TypedStruct', { typeUrl: 'acme.Filter', value: {} }), optional), last],
    ],
    [
      'TypedStruct in a TypedStruct',
      filters,
      [filter('x', typedStruct('xds.type.v3.TypedStruct'), optional), last],
    ],
    [
      'TypedStruct that is garbage',
      filters,
      [filter('x', garbage('xds.type.v3.TypedStruct'), optional), last],
    ],
    ['config of nothing, optional', filters, [{ name: 'x', typedConfig: {}, ...optional }, last]],
    [
      'Any of a type without host, optional',
      filters,
      [
        filter(
          'x',
          { '@type': 'acme.Filter', 'xdscope.opaque': { reason: 'unknown', valueBase64: '' } },
          optional,
        ),
        last,
      ],
    ],
    [
      'udpa TypedStruct without type, optional',
      filters,
      [filter('x', any('udpa.type.v1.TypedStruct', { value: {} }), optional), last],
    ],
    [
      'TypedStruct whose type ends with a slash',
      filters,
      [filter('x', any('xds.type.v3.TypedStruct', { typeUrl: 'a/', value: {} }), optional), last],
    ],
    [
      'TypedStruct of a router of another host',
      filters,
      [
        filter(
          'x',
          any('xds.type.v3.TypedStruct', {
            typeUrl: 'example.com/envoy.extensions.filters.http.router.v3.Router',
            value: {},
          }),
        ),
      ],
    ],
    [
      'RBAC of another host',
      filters,
      [filter('x', foreignHost('envoy.extensions.filters.http.rbac.v3.RBAC')), last],
    ],
    ['no config, optional, alone', filters, [{ name: 'x', ...optional }]],
    [
      'dynamic config, optional',
      filters,
      [{ name: 'x', configDiscovery: { configSource: { ads: {} }, typeUrls: ['x'] }, ...optional }, last],
    ],
    [
      'two optional unknown filters of one name',
      filters,
      [filter('a', lua, optional), filter('a', lua, optional), last],
    ],
    ['RDS of nothing', `${api}.rds`, {}],
    ['RDS from an API', `${api}.rds.configSource`, { apiConfigSource: { apiType: 'GRPC' } }],
    ['RDS with an empty source', `${api}.rds.configSource`, {}],
    ['RDS from ads in v2', `${api}.rds.configSource`, { ads: {}, resourceApiVersion: 'V2' }],
    ['RDS name of odd letters', `${api}.rds.routeConfigName`, 'ä/?#%'],
    ['inline, nothing', api, manager({ rds: undefined, routeConfig: {} })],
    [
      'inline, no domains',
      api,
      manager({
        rds: undefined,
        routeConfig: {
          virtualHosts: [{ name: 'v', routes: [{ match: { prefix: '' }, route: { cluster: 'c' } }] }],
        },
      }),
    ],
    ['inline, redirect', api, manager(inline([{ match: { prefix: '' }, redirect: {} }]))],
    [
      'inline, bad weights',
      api,
      manager(inline([{ match: { prefix: '' }, route: { weightedClusters: { clusters: [] } } }])),
    ],
    ['inline, VHDS', api, manager({ rds: undefined, routeConfig: { vhds: { configSource: { ads: {} } } } })],
    ['address beside it', 'address', { pipe: { path: '/x' } }],
    ['a chain for TCP beside it', 'filterChains', [{ filters: [{ name: 'x', typedConfig: tcp }] }]],
    ['default chain beside it', 'defaultFilterChain', {}],
    [
      'a bad source type in a chain beside it',
      'filterChains',
      [{ filters: [{ name: 'x', typedConfig: manager() }], filterChainMatch: { sourceType: 9 } }],
    ],
    ['fault: abort grpc status 16', filters, faultOf({ abort: { grpcStatus: 16, percentage: {} } })],
    ['fault: abort grpc status 0', filters, faultOf({ abort: { grpcStatus: 0, percentage: {} } })],
    [
      'fault: abort grpc status at the most',
      filters,
      faultOf({ abort: { grpcStatus: 4294967295, percentage: {} } }),
    ],
    ['fault: abort http status 0', filters, faultOf({ abort: { httpStatus: 0, percentage: {} } })],
    ['fault: abort http status 1', filters, faultOf({ abort: { httpStatus: 1, percentage: {} } })],
    ['fault: abort http status 199', filters, faultOf({ abort: { httpStatus: 199, percentage: {} } })],
    ['fault: abort http status 200', filters, faultOf({ abort: { httpStatus: 200, percentage: {} } })],
    ['fault: abort http status 600', filters, faultOf({ abort: { httpStatus: 600, percentage: {} } })],
    [
      'fault: abort with an unknown denominator',
      filters,
      faultOf({ abort: { grpcStatus: 1, percentage: { denominator: 9 } } }),
    ],
    ['fault: abort of 101 %', filters, faultOf({ abort: { grpcStatus: 1, percentage: { numerator: 101 } } })],
    [
      'fault: abort of 4294967295 %',
      filters,
      faultOf({ abort: { grpcStatus: 1, percentage: { numerator: 4294967295 } } }),
    ],
    ['fault: delay negative', filters, faultOf({ delay: { fixedDelay: '-1s', percentage: {} } })],
    [
      'fault: delay too long',
      filters,
      faultOf({ delay: { fixedDelay: { seconds: '315576000001' }, percentage: {} } }),
    ],
    [
      'fault: delay with too many nanos',
      filters,
      faultOf({ delay: { fixedDelay: { nanos: 1000000000 }, percentage: {} } }),
    ],
    ['fault: delay 0', filters, faultOf({ delay: { fixedDelay: '0s', percentage: {} } })],
    ['fault: delay by header', filters, faultOf({ delay: { headerDelay: {}, percentage: {} } })],
    [
      'fault: delay with an unknown denominator',
      filters,
      faultOf({ delay: { fixedDelay: '1s', percentage: { denominator: 9 } } }),
    ],
    ['fault: an upstream cluster', filters, faultOf({ upstreamCluster: 'x' })],
    ['fault: headers', filters, faultOf({ headers: [{ name: 'x' }] })],
    ['fault: at most 0', filters, faultOf({ maxActiveFaults: 0 })],
    [
      'fault: rate limit',
      filters,
      faultOf({ responseRateLimit: { fixedLimit: { limitKbps: '1' }, percentage: {} } }),
    ],
    ['two violations', `${api}.xffNumTrustedHops`, 1, filters, []],
  ],
};

const chain = (fields: object = {}) => ({ filters: [{ name: 'hcm', typedConfig: manager() }], ...fields });
const match = (filterChainMatch: object, fields: object = {}) => chain({ filterChainMatch, ...fields });
const chainOf = (managerFields: object) => ({
  filters: [{ name: 'hcm', typedConfig: manager(managerFields) }],
});
const range = (addressPrefix: string, prefixLen?: number) => ({
  addressPrefix,
  ...(prefixLen === undefined ? {} : { prefixLen }),
});
const bad = { filters: [] };
const downstream = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const secured = (fields: object, name = 'envoy.transport_sockets.tls') => [
  chain({ transportSocket: { name, typedConfig: any(downstream, fields) } }),
];
const provider = (instanceName: string) => ({ instanceName });
const identity = { tlsCertificateProviderInstance: provider('p') };
const ca = { validationContext: { caCertificateProviderInstance: provider('p') } };
const rbacType = 'envoy.extensions.filters.http.rbac.v3.RBAC';
const rbacOf = (rules: object | undefined) => [
  chainOf({ httpFilters: [filter('rbac', any(rbacType, rules === undefined ? {} : { rules })), last] }),
];
const policyOf = (fields: object, more: object = {}) =>
  rbacOf({
    policies: { p: { permissions: [{ any: true }], principals: [{ any: true }], ...fields } },
    ...more,
  });
const permission = (one: object) => policyOf({ permissions: [one] });
const principal = (one: object) => policyOf({ principals: [one] });

export const socketListenerTable: ConformanceTable = {
  family: socketListener,
  rows: [
    ['address of nothing', 'address', {}],
    ['socket of nothing', 'address.socketAddress', {}],
    ['no port', 'address.socketAddress.portValue', undefined],
    ['a name for an address', 'address.socketAddress.address', 'localhost'],
    ['an unknown protocol', 'address.socketAddress.protocol', 9],
    ['named port', 'address.socketAddress', { address: '0.0.0.0', namedPort: 'http' }],
    ['listener filters and original destination', 'listenerFilters', [{ name: 'x' }], 'useOriginalDst', true],
    ['another name', 'name', 'x'],
    [
      'a manager that is garbage',
      'filterChains',
      [{ filters: [{ name: 'x', typedConfig: garbage(managerType) }] }],
    ],
    [
      'a manager of another host',
      'filterChains',
      [{ filters: [{ name: 'x', typedConfig: foreignHost(managerType) }] }],
    ],
    [
      'a manager in a TypedStruct',
      'filterChains',
      [{ filters: [{ name: 'x', typedConfig: typedStruct(managerType) }] }],
    ],
    [
      'manager, then TCP',
      'filterChains',
      [
        {
          filters: [
            { name: 'a', typedConfig: manager() },
            { name: 'b', typedConfig: tcp },
          ],
        },
      ],
    ],
    [
      'TCP, then manager',
      'filterChains',
      [
        {
          filters: [
            { name: 'a', typedConfig: tcp },
            { name: 'b', typedConfig: manager() },
          ],
        },
      ],
    ],
    [
      'second manager bad',
      'filterChains',
      [
        {
          filters: [
            { name: 'a', typedConfig: manager() },
            { name: 'b', typedConfig: manager({ xffNumTrustedHops: 1 }) },
          ],
        },
      ],
    ],
    [
      'dynamic network filter',
      'filterChains',
      [{ filters: [{ name: 'a', configDiscovery: { configSource: { ads: {} }, typeUrls: ['x'] } }] }],
    ],
    ['a bad default chain', 'defaultFilterChain', bad],
    ['a default chain with a match', 'defaultFilterChain', match({ destinationPort: 80 })],
    ['a default chain with a bad prefix', 'defaultFilterChain', match({ prefixRanges: [range('x', 8)] })],
    ['a chain of nothing and a default', 'filterChains', [bad], 'defaultFilterChain', chain()],
    [
      'a bad chain for a port',
      'filterChains',
      [chain(), { ...bad, filterChainMatch: { destinationPort: 80 } }],
    ],
    [
      'a bad chain for a server name',
      'filterChains',
      [chain(), { ...bad, filterChainMatch: { serverNames: ['x'] } }],
    ],
    [
      'a bad chain for tls',
      'filterChains',
      [chain(), { ...bad, filterChainMatch: { transportProtocol: 'tls' } }],
    ],
    [
      'a bad chain for h2',
      'filterChains',
      [chain(), { ...bad, filterChainMatch: { applicationProtocols: ['h2'] } }],
    ],
    [
      'a bad chain behind raw_buffer',
      'filterChains',
      [match({ transportProtocol: 'raw_buffer' }), { ...bad }],
    ],
    ['only h2', 'filterChains', [match({ applicationProtocols: ['h2'] })]],
    ['only tls', 'filterChains', [match({ transportProtocol: 'tls' })]],
    ['only raw_buffer', 'filterChains', [match({ transportProtocol: 'raw_buffer' })]],
    ['an unknown source type', 'filterChains', [match({ sourceType: 9 })]],
    [
      'two source types',
      'filterChains',
      [match({ sourceType: 'EXTERNAL' }), match({ sourceType: 'SAME_IP_OR_LOOPBACK' })],
    ],
    [
      'one source type twice',
      'filterChains',
      [match({ sourceType: 'EXTERNAL' }), match({ sourceType: 'EXTERNAL' })],
    ],
    ['ANY and nothing', 'filterChains', [match({ sourceType: 'ANY' }), chain()]],
    ['a port twice in a match', 'filterChains', [match({ sourcePorts: [1, 1] })]],
    [
      'a range twice in a match',
      'filterChains',
      [match({ prefixRanges: [range('10.0.0.0', 8), range('10.1.0.0', 8)] })],
    ],
    [
      'a source range twice in a match',
      'filterChains',
      [match({ sourcePrefixRanges: [range('10.0.0.0', 8), range('10.1.0.0', 8)] })],
    ],
    ['port 0', 'filterChains', [match({ sourcePorts: [0] }), chain()]],
    ['port 65536', 'filterChains', [match({ sourcePorts: [65536] })]],
    ['destination port 0', 'filterChains', [match({ destinationPort: 0 })]],
    ['prefix without length', 'filterChains', [match({ prefixRanges: [range('10.0.0.0')] })]],
    [
      'prefixes without length, twice',
      'filterChains',
      [match({ prefixRanges: [range('10.0.0.0')] }), match({ prefixRanges: [range('11.0.0.0')] })],
    ],
    [
      'prefix without length beside no prefix',
      'filterChains',
      [match({ prefixRanges: [range('0.0.0.0')] }), chain()],
    ],
    [
      'prefix of length 0 beside no prefix',
      'filterChains',
      [match({ prefixRanges: [range('0.0.0.0', 0)] }), chain()],
    ],
    [
      'prefix too long, twice',
      'filterChains',
      [match({ prefixRanges: [range('10.0.0.0', 33)] }), match({ prefixRanges: [range('10.0.0.0', 32)] })],
    ],
    ['prefix in IPv6', 'filterChains', [match({ prefixRanges: [range('fe80::', 10)] })]],
    ['prefix in IPv6 too long', 'filterChains', [match({ prefixRanges: [range('fe80::', 129)] })]],
    [
      'prefix in IPv6, twice in other words',
      'filterChains',
      [match({ prefixRanges: [range('fe80::1', 10)] }), match({ prefixRanges: [range('fe80:0::', 10)] })],
    ],
    [
      'prefix in IPv4 and the same in IPv6',
      'filterChains',
      [
        match({ prefixRanges: [range('10.0.0.1', 32)] }),
        match({ prefixRanges: [range('::ffff:10.0.0.1', 128)] }),
      ],
    ],
    ['prefix in brackets', 'filterChains', [match({ prefixRanges: [range('[::1]', 8)] })]],
    [
      'prefix in brackets twice',
      'filterChains',
      [match({ prefixRanges: [range('[::1]', 8)] }), match({ prefixRanges: [range('::1', 8)] })],
    ],
    ['prefix in IPv4 in brackets', 'filterChains', [match({ prefixRanges: [range('[10.0.0.1]', 8)] })]],
    ['prefix with a zone', 'filterChains', [match({ prefixRanges: [range('fe80::1%lo', 8)] })]],
    [
      'prefixes with and without a zone',
      'filterChains',
      [match({ prefixRanges: [range('fe80::1%lo', 64)] }), match({ prefixRanges: [range('fe80::1', 64)] })],
    ],
    ['source prefix in brackets', 'filterChains', [match({ sourcePrefixRanges: [range('[::1]', 8)] })]],
    [
      'a default chain with a bad source prefix',
      'defaultFilterChain',
      match({ sourcePrefixRanges: [range('x', 8)] }),
    ],
    [
      'a default chain with a prefix too long',
      'defaultFilterChain',
      match({ sourcePrefixRanges: [range('10.0.0.0', 33)] }),
    ],
    ['a default chain with an unknown source type', 'defaultFilterChain', match({ sourceType: 9 })],
    [
      'an unknown source type for a port',
      'filterChains',
      [chain(), match({ sourceType: 9, destinationPort: 80 })],
    ],
    [
      'an unknown source type for tls',
      'filterChains',
      [chain(), match({ sourceType: 9, transportProtocol: 'tls' })],
    ],
    [
      'an unknown source type behind raw_buffer',
      'filterChains',
      [match({ transportProtocol: 'raw_buffer' }), match({ sourceType: 9 })],
    ],
    ['prefix empty', 'filterChains', [match({ prefixRanges: [range('', 8)] })]],
    [
      'bad prefix for a port',
      'filterChains',
      [chain(), match({ destinationPort: 80, prefixRanges: [range('x', 8)] })],
    ],
    [
      'bad prefix for a server name',
      'filterChains',
      [chain(), match({ serverNames: ['x'], prefixRanges: [range('x', 8)] })],
    ],
    [
      'bad source prefix for tls',
      'filterChains',
      [chain(), match({ transportProtocol: 'tls', sourcePrefixRanges: [range('x', 8)] })],
    ],
    ['direct source prefix', 'filterChains', [match({ directSourcePrefixRanges: [range('x', 8)] })]],
    [
      'server names twice',
      'filterChains',
      [chain(), match({ serverNames: ['x'] }), match({ serverNames: ['x'] })],
    ],
    [
      'server names, different',
      'filterChains',
      [chain(), match({ serverNames: ['x'] }), match({ serverNames: ['y'] })],
    ],
    ['empty match and none', 'filterChains', [match({}), chain()]],
    ['empty match twice', 'filterChains', [match({}), match({})]],
    [
      'raw_buffer between two without',
      'filterChains',
      [chain(), match({ transportProtocol: 'raw_buffer' }), chain()],
    ],
    ['no filters in the manager', 'filterChains', [chainOf({ httpFilters: [] })]],
    [
      'RDS from a path',
      'filterChains',
      [chainOf({ rds: { configSource: { path: '/x' }, routeConfigName: 'x' } })],
    ],
    [
      'inline routes with redirect',
      'filterChains',
      [chainOf(inline([{ match: { prefix: '' }, redirect: {} }]))],
    ],
    [
      'inline routes with non-forwarding action',
      'filterChains',
      [chainOf(inline([{ match: { prefix: '' }, nonForwardingAction: {} }]))],
    ],
    [
      'max stream duration negative',
      'filterChains',
      [chainOf({ commonHttpProtocolOptions: { maxStreamDuration: '-1s' } })],
    ],
    ['tls', 'filterChains', secured({ commonTlsContext: identity })],
    ['tls of nothing', 'filterChains', secured({})],
    ['tls with empty common context', 'filterChains', secured({ commonTlsContext: {} })],
    ['tls of another name', 'filterChains', secured({ commonTlsContext: identity }, 'x')],
    [
      'tls that is garbage',
      'filterChains',
      [chain({ transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: garbage(downstream) } })],
    ],
    [
      'tls in a TypedStruct',
      'filterChains',
      [
        chain({
          transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: typedStruct(downstream) },
        }),
      ],
    ],
    [
      'upstream tls',
      'filterChains',
      [
        chain({
          transportSocket: {
            name: 'envoy.transport_sockets.tls',
            typedConfig: any('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
          },
        }),
      ],
    ],
    ['transport socket of nothing', 'filterChains', [chain({ transportSocket: {} })]],
    [
      'tls with a client certificate required and CA',
      'filterChains',
      secured({ commonTlsContext: { ...identity, ...ca }, requireClientCertificate: true }),
    ],
    [
      'tls with a client certificate required without CA',
      'filterChains',
      secured({ commonTlsContext: identity, requireClientCertificate: true }),
    ],
    ['tls with SNI required', 'filterChains', secured({ commonTlsContext: identity, requireSni: true })],
    ['tls with SNI not required', 'filterChains', secured({ commonTlsContext: identity, requireSni: false })],
    [
      'tls with strict stapling',
      'filterChains',
      secured({ commonTlsContext: identity, ocspStaplePolicy: 'STRICT_STAPLING' }),
    ],
    [
      'tls with stapling of an unknown number',
      'filterChains',
      secured({ commonTlsContext: identity, ocspStaplePolicy: 9 }),
    ],
    [
      'tls with session tickets',
      'filterChains',
      secured({ commonTlsContext: identity, sessionTicketKeys: { keys: [{ filename: 'x' }] } }),
    ],
    [
      'tls with a session timeout negative',
      'filterChains',
      secured({ commonTlsContext: identity, sessionTimeout: '-1s' }),
    ],
    [
      'tls with an unknown identity',
      'filterChains',
      secured({ commonTlsContext: { tlsCertificateProviderInstance: provider('q') } }),
    ],
    [
      'tls with the old identity',
      'filterChains',
      secured({ commonTlsContext: { tlsCertificateCertificateProviderInstance: provider('p') } }),
    ],
    [
      'tls with system roots',
      'filterChains',
      secured({ commonTlsContext: { ...identity, validationContext: { systemRootCerts: {} } } }),
    ],
    [
      'tls with an empty validation context',
      'filterChains',
      secured({ commonTlsContext: { ...identity, validationContext: {} } }),
    ],
    [
      'tls with SAN',
      'filterChains',
      secured({
        commonTlsContext: {
          ...identity,
          validationContext: { ...ca.validationContext, matchSubjectAltNames: [{ exact: 'x' }] },
        },
      }),
    ],
    [
      'tls with bad SAN',
      'filterChains',
      secured({
        commonTlsContext: {
          ...identity,
          validationContext: { ...ca.validationContext, matchSubjectAltNames: [{}] },
        },
      }),
    ],
    [
      'tls with SDS validation',
      'filterChains',
      secured({ commonTlsContext: { ...identity, validationContextSdsSecretConfig: { name: 'x' } } }),
    ],
    [
      'tls with the old CA and a client certificate required',
      'filterChains',
      secured({
        commonTlsContext: { ...identity, validationContextCertificateProviderInstance: provider('p') },
        requireClientCertificate: true,
      }),
    ],
    [
      'tls with the old CA that is not known',
      'filterChains',
      secured({
        commonTlsContext: { ...identity, validationContextCertificateProviderInstance: provider('q') },
      }),
    ],
    [
      'tls with the old CA in a combined context',
      'filterChains',
      secured({
        commonTlsContext: {
          ...identity,
          combinedValidationContext: {
            defaultValidationContext: {},
            validationContextCertificateProviderInstance: provider('p'),
          },
        },
        requireClientCertificate: true,
      }),
    ],
    [
      'tls with hashes',
      'filterChains',
      secured({
        commonTlsContext: {
          ...identity,
          validationContext: { ...ca.validationContext, verifyCertificateHash: ['x'] },
        },
      }),
    ],
    [
      'tls with certificates beside the old identity',
      'filterChains',
      secured({
        commonTlsContext: { tlsCertificates: [{}], tlsCertificateCertificateProviderInstance: provider('p') },
      }),
    ],
    ['tls with certificates alone', 'filterChains', secured({ commonTlsContext: { tlsCertificates: [{}] } })],
    ['tls with params', 'filterChains', secured({ commonTlsContext: { ...identity, tlsParams: {} } })],
    ['RBAC without rules', 'filterChains', rbacOf(undefined)],
    ['RBAC with empty rules', 'filterChains', rbacOf({})],
    ['RBAC of an unknown action', 'filterChains', rbacOf({ action: 9 })],
    ['RBAC LOG', 'filterChains', policyOf({}, { action: 'LOG' })],
    ['RBAC LOG with a bad permission', 'filterChains', policyOf({ permissions: [{}] }, { action: 'LOG' })],
    ['RBAC DENY', 'filterChains', policyOf({}, { action: 'DENY' })],
    ['RBAC policy of nothing', 'filterChains', rbacOf({ policies: { p: {} } })],
    ['RBAC without principals', 'filterChains', policyOf({ principals: [] })],
    ['RBAC checked condition', 'filterChains', policyOf({ checkedCondition: {} })],
    ['RBAC permission of nothing', 'filterChains', permission({})],
    ['RBAC any: false', 'filterChains', permission({ any: false })],
    ['RBAC and of nothing', 'filterChains', permission({ andRules: {} })],
    ['RBAC or of nothing', 'filterChains', permission({ orRules: {} })],
    ['RBAC not of nothing', 'filterChains', permission({ notRule: {} })],
    ['RBAC header of nothing', 'filterChains', permission({ header: { name: 'x' } })],
    ['RBAC header grpc-', 'filterChains', permission({ header: { name: 'grpc-x', presentMatch: true } })],
    [
      'RBAC header grpc- in capitals',
      'filterChains',
      permission({ header: { name: 'GRPC-x', presentMatch: true } }),
    ],
    [
      'RBAC header in a not',
      'filterChains',
      permission({ notRule: { header: { name: 'grpc-x', presentMatch: true } } }),
    ],
    ['RBAC header with contains', 'filterChains', permission({ header: { name: 'x', containsMatch: 'a' } })],
    [
      'RBAC header with a string',
      'filterChains',
      permission({ header: { name: 'x', stringMatch: { exact: 'a' } } }),
    ],
    [
      'RBAC header range reversed',
      'filterChains',
      permission({ header: { name: 'x', rangeMatch: { start: '2', end: '1' } } }),
    ],
    [
      'RBAC header bad regex',
      'filterChains',
      permission({ header: { name: 'x', safeRegexMatch: { regex: '(' } } }),
    ],
    [
      'RBAC principal header bad regex',
      'filterChains',
      principal({ header: { name: 'x', safeRegexMatch: { regex: '(' } } }),
    ],
    [
      'RBAC authenticated bad regex',
      'filterChains',
      principal({ authenticated: { principalName: { safeRegex: { regex: '(' } } } }),
    ],
    [
      'RBAC header of an unknown matcher in a not',
      'filterChains',
      permission({ notRule: { header: { name: 'x' } } }),
    ],
    ['RBAC path of nothing', 'filterChains', permission({ urlPath: {} })],
    ['RBAC path with an empty matcher', 'filterChains', permission({ urlPath: { path: {} } })],
    [
      'RBAC path with a bad regex',
      'filterChains',
      permission({ urlPath: { path: { safeRegex: { regex: '(' } } } }),
    ],
    [
      'RBAC path regex that ignores case',
      'filterChains',
      permission({ urlPath: { path: { safeRegex: { regex: 'a' }, ignoreCase: true } } }),
    ],
    ['RBAC path with an empty prefix', 'filterChains', permission({ urlPath: { path: { prefix: '' } } })],
    ['RBAC destination that is no address', 'filterChains', permission({ destinationIp: range('x', 8) })],
    ['RBAC destination too long', 'filterChains', permission({ destinationIp: range('10.0.0.0', 33) })],
    ['RBAC port', 'filterChains', permission({ destinationPort: 70000 })],
    ['RBAC port range', 'filterChains', permission({ destinationPortRange: { start: 1, end: 2 } })],
    [
      'RBAC metadata',
      'filterChains',
      permission({ metadata: { filter: 'x', path: [{ key: 'k' }], value: { presentMatch: true } } }),
    ],
    ['RBAC metadata of nothing', 'filterChains', permission({ metadata: {} })],
    ['RBAC server name', 'filterChains', permission({ requestedServerName: { exact: 'x' } })],
    ['RBAC server name of nothing', 'filterChains', permission({ requestedServerName: {} })],
    [
      'RBAC own matcher',
      'filterChains',
      permission({ matcher: { name: 'x', typedConfig: any('google.protobuf.Empty') } }),
    ],
    [
      'RBAC URI template',
      'filterChains',
      permission({ uriTemplate: { name: 'x', typedConfig: any('google.protobuf.Empty') } }),
    ],
    ['RBAC principal of nothing', 'filterChains', principal({})],
    ['RBAC principal any: false', 'filterChains', principal({ any: false })],
    ['RBAC authenticated of nothing', 'filterChains', principal({ authenticated: {} })],
    [
      'RBAC authenticated with an empty matcher',
      'filterChains',
      principal({ authenticated: { principalName: {} } }),
    ],
    ['RBAC source', 'filterChains', principal({ sourceIp: range('10.0.0.0', 8) })],
    ['RBAC source that is no address', 'filterChains', principal({ sourceIp: range('x', 8) })],
    ['RBAC direct remote that is no address', 'filterChains', principal({ directRemoteIp: range('x', 8) })],
    ['RBAC remote that is no address', 'filterChains', principal({ remoteIp: range('x', 8) })],
    [
      'RBAC filter state',
      'filterChains',
      principal({ filterState: { key: 'k', stringMatch: { exact: 'x' } } }),
    ],
    [
      'RBAC principal metadata',
      'filterChains',
      principal({ metadata: { filter: 'x', path: [{ key: 'k' }], value: { presentMatch: true } } }),
    ],
    ['RBAC principal not of nothing', 'filterChains', principal({ notId: {} })],
    [
      'RBAC :scheme in an or',
      'filterChains',
      principal({ orIds: { ids: [{ header: { name: ':scheme', exactMatch: 'x' } }] } }),
    ],
    ['RBAC principal path', 'filterChains', principal({ urlPath: { path: { exact: 'x' } } })],
    [
      'RBAC shadow rules that are bad',
      'filterChains',
      [
        chainOf({
          httpFilters: [
            filter(
              'rbac',
              any(rbacType, {
                rules: {},
                shadowRules: { policies: { p: { permissions: [{}], principals: [] } } },
              }),
            ),
            last,
          ],
        }),
      ],
    ],
    [
      'RBAC matcher API',
      'filterChains',
      [chainOf({ httpFilters: [filter('rbac', any(rbacType, { matcher: {} })), last] })],
    ],
    [
      'RBAC audit logger of an unknown type',
      'filterChains',
      rbacOf({
        auditLoggingOptions: {
          loggerConfigs: [{ auditLogger: { name: 'x', typedConfig: any('google.protobuf.Empty') } }],
        },
      }),
    ],
    [
      'RBAC in a TypedStruct',
      'filterChains',
      [chainOf({ httpFilters: [filter('rbac', typedStruct(rbacType)), last] })],
    ],
    [
      'RBAC that is garbage',
      'filterChains',
      [chainOf({ httpFilters: [filter('rbac', garbage(rbacType)), last] })],
    ],
    [
      'fault that is garbage, optional, on the server',
      'filterChains',
      [chainOf({ httpFilters: [filter('f', garbage(faultType), optional), last] })],
    ],
    ['two violations', 'useOriginalDst', true, 'filterChains', []],
  ],
};
