import { any, faultType, rbacType, router } from './any';

export const managerType =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
export const manager = (fields: object = {}) =>
  any(managerType, {
    statPrefix: 'x',
    rds: { configSource: { ads: {} }, routeConfigName: 'rt' },
    httpFilters: [last],
    ...fields,
  });
export const goodRoute = { match: { prefix: '' }, route: { cluster: 'c' } };
/** A manager with routes of its own. */
export const inline = (...routes: object[]) =>
  manager({ rds: undefined, routeConfig: { virtualHosts: [{ name: 'v', domains: ['*'], routes }] } });

export const filter = (name: string, typedConfig: unknown, more: object = {}) => ({
  name,
  typedConfig,
  ...more,
});
export const last = filter('router', router);
/** A fault filter, and the router. */
export const faultOf = (fields: object) => [filter('f', any(faultType, fields)), last];
export const abort = (fields: object, percentage: object = {}) =>
  faultOf({ abort: { ...fields, percentage } });
export const delay = (fields: object, percentage: object = {}) =>
  faultOf({ delay: { ...fields, percentage } });
export const tcp = any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
  statPrefix: 'x',
  cluster: 'c',
});

export const chain = (fields: object = {}) => ({ filters: [filter('hcm', manager())], ...fields });
export const match = (filterChainMatch: object, fields: object = {}) =>
  chain({ filterChainMatch, ...fields });
export const transport = (transportProtocol: string) => match({ transportProtocol });
export const range = (addressPrefix: string, prefixLen?: number) => ({
  addressPrefix,
  ...(prefixLen === undefined ? {} : { prefixLen }),
});
export const prefix = (...of: Parameters<typeof range>) => match({ prefixRanges: [range(...of)] });
export const sourcePrefix = (...of: Parameters<typeof range>) =>
  match({ sourcePrefixRanges: [range(...of)] });
/** A list of one chain. */
export const chainOf = (...filters: object[]) => [{ filters }];
export const chainWith = (managerFields: object) => chainOf(filter('hcm', manager(managerFields)));

export const downstream = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
export const upstream = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
export const socketOf = (typedConfig: object, name = 'envoy.transport_sockets.tls') => [
  chain({ transportSocket: { name, typedConfig } }),
];
export const tls = (commonTlsContext: object, fields: object = {}, name?: string) =>
  socketOf(any(downstream, { commonTlsContext, ...fields }), name);
export const provider = (instanceName: string) => ({ instanceName });
export const oldCa = (name: string) => ({ validationContextCertificateProviderInstance: provider(name) });
export const identity = { tlsCertificateProviderInstance: provider('p') };
export const identityAnd = (validation: object) => ({
  ...identity,
  validationContext: { caCertificateProviderInstance: provider('p'), ...validation },
});

export const rbacWith = (typedConfig: object) =>
  chainWith({ httpFilters: [filter('rbac', typedConfig), last] });
export const rbacOf = (rules: object) => rbacWith(any(rbacType, { rules }));
/** A policy that allows everything, with changes of it and of the rules around it. */
export const policyOf = (fields: object, more: object = {}) =>
  rbacOf({
    policies: { p: { permissions: [{ any: true }], principals: [{ any: true }], ...fields } },
    ...more,
  });
export const permission = (...permissions: object[]) => policyOf({ permissions });
export const principal = (...principals: object[]) => policyOf({ principals });
