import { LDS } from '@/lib/xds/resource-type';
import { any, casesOf, socket } from './case';

export const of = casesOf(LDS, 'tested');
export const required = 'value is required';
export const length1 = 'value length must be at least 1 characters';
export const filters = 'envoy.extensions.filters';
export const managerType = `${filters}.network.http_connection_manager.v3.HttpConnectionManager`;
export const path = 'filterChains[0].filters[0].typedConfig';

export const listener = (change: object) => ({
  name: 'tested',
  address: socket('127.0.0.1', 19_998),
  ...change,
});
export const chain = (filter: object, change: object = {}) =>
  listener({ filterChains: [{ filters: [filter], ...change }] });
export const router = { name: 'router', typedConfig: any(`${filters}.http.router.v3.Router`) };
export const routes = (change: object = {}) => ({
  name: 'inline',
  virtualHosts: [
    {
      name: 'all',
      domains: ['*'],
      routes: [{ match: { prefix: '/' }, route: { cluster: 'plain' }, ...change }],
    },
  ],
});
export const manager = (change: object = {}) => ({
  name: 'http',
  typedConfig: any(managerType, {
    statPrefix: 'tested',
    routeConfig: routes(),
    httpFilters: [router],
    ...change,
  }),
});
export const managed = (change: object) => chain(manager(change));
export const httpFilter = (name: string, message: string, fields: object = {}) =>
  managed({ httpFilters: [{ name, typedConfig: any(`${filters}.http.${message}`, fields) }, router] });
export const filterPath = `${path}.httpFilters[0].typedConfig`;
export const proxy = (fields: object) => ({
  name: 'tcp',
  typedConfig: any(`${filters}.network.tcp_proxy.v3.TcpProxy`, {
    statPrefix: 'tcp',
    cluster: 'plain',
    ...fields,
  }),
});
export const tlsType = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
export const withTls = (fields: object) =>
  chain(manager(), { transportSocket: { name: 'tls', typedConfig: any(tlsType, fields) } });
export const tlsPath = 'filterChains[0].transportSocket.typedConfig';
export const fileLog = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
