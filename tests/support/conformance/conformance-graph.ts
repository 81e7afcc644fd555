import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Resource } from '@/server/lab/management-server/snapshot-store';

const any = (typeName: string, fields: object = {}) => ({
  '@type': `type.googleapis.com/${typeName}`,
  ...fields,
});

/** A valid API listener with inline routes or RDS. */
function listener(name: string, routes: object): object {
  const manager = any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix: 'x',
    ...routes,
    httpFilters: [{ name: 'router', typedConfig: any('envoy.extensions.filters.http.router.v3.Router') }],
  });
  return { name, apiListener: { apiListener: manager } };
}

function routesTo(cluster: string): object {
  const route = { match: { prefix: '' }, route: { cluster } };
  return { routeConfig: { name: 'inline', virtualHosts: [{ name: 'v', domains: ['*'], routes: [route] }] } };
}

const good = (typeUrl: string, name: string, fields: object): Resource => ({
  typeUrl,
  name,
  bytes: encodeBody(typeUrl, fields),
});

/**
 * The resources that lead a client to subscribe to the resource `name`, from a listener of that name: valid resources of
 * the preceding types, and the resource itself, if any.
 */
export function conformanceGraph(typeUrl: string, name: string, bytes?: Uint8Array): Resource[] {
  const own = bytes === undefined ? [] : [{ typeUrl, name, bytes }];
  const ads = { ads: {}, resourceApiVersion: 'V3' };
  const start = good(LDS.typeUrl, name, listener(name, routesTo(name)));
  switch (typeUrl) {
    case LDS.typeUrl:
      return own;
    case RDS.typeUrl:
      return [
        good(LDS.typeUrl, name, listener(name, { rds: { configSource: ads, routeConfigName: name } })),
        ...own,
      ];
    case CDS.typeUrl:
      return [start, ...own];
    case EDS.typeUrl:
      return [
        start,
        good(CDS.typeUrl, name, {
          name,
          type: 'EDS',
          edsClusterConfig: { edsConfig: ads, serviceName: name },
        }),
        ...own,
      ];
    default:
      throw new Error(`no gRPC client asks for ${typeUrl}`);
  }
}
