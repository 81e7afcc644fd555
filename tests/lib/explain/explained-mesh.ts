import { explain } from '@/lib/explain/explain';
import type { ExplainRequest } from '@/lib/explain/request';
import type { Trace } from '@/lib/explain/trace';
import { type Client, newestOf } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import { edsCluster, endpoints, type MeshResource } from '@/tests/support/builders/topology-mesh';

export interface ExplainedMesh {
  readonly client?: Client;
  readonly start: { readonly listener: string; readonly authority?: string };
}

/** Explains a request in a client that holds these resources. */
export function explainIn(
  resources: readonly MeshResource[],
  request: ExplainRequest,
  { client = 'envoy', start }: ExplainedMesh,
): Trace {
  const profile = newestOf(client);
  const resolver = resolverOver(resources, { start, profile });
  const config = {
    listener: resolver.listener,
    jsonOf: (key: { typeUrl: string; name: string }) =>
      resources.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body,
    findCluster: (name: string) => resolver.entryOf(name),
  };
  return explain(config, request, profile);
}

/** "taken route 2 "api": all its conditions hold @virtualHosts[0].routes[1]". */
export function linesOf({ steps }: Trace): string[] {
  return steps.map(
    ({ verdict, title, reason, path }) =>
      `${verdict} ${title}${reason === '' ? '' : `: ${reason}`}${path === '' ? '' : ` @${path}`}`,
  );
}

const extension = 'type.googleapis.com/envoy.extensions.filters.';

interface Edge {
  readonly manager?: object;
  readonly filters?: readonly object[];
  readonly chains?: readonly { readonly name: string; readonly match?: object; readonly clusters?: string }[];
}

/** A socket listener at port 80 whose chains request the route configuration "routes". */
export function edge({ manager = {}, filters = [], chains = [{ name: 'web' }] }: Edge = {}): MeshResource {
  const router = { name: 'router', typedConfig: { '@type': `${extension}http.router.v3.Router` } };
  const typedConfig = {
    '@type': `${extension}network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: 'routes' },
    httpFilters: [...filters, router],
    ...manager,
  };
  const body = {
    name: 'edge',
    address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
    filterChains: chains.map(({ name, match, clusters }) => ({
      name,
      ...(match && { filterChainMatch: match }),
      filters: [
        clusters === undefined
          ? { name: 'hcm', typedConfig }
          : {
              name: 'tcp',
              typedConfig: { '@type': `${extension}network.tcp_proxy.v3.TcpProxy`, cluster: clusters },
            },
      ],
    })),
  };
  return { typeUrl: LDS.typeUrl, name: 'edge', body };
}

export const cart = [edsCluster('cart'), endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.2:80'] }])];
export const start = { listener: 'edge' };
