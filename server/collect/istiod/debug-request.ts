import { messageType } from '../../codec/root';

/** istiod's debug types on ADS: each request is answered once, and is not a subscription. */
export type DebugRequest =
  | { readonly kind: 'status' }
  /** A debug page as JSON. Newer istiods send it only to authenticated clients of their own namespace. */
  | { readonly kind: 'page'; readonly page: DebugPage }
  /**
   * The config that istiod would send now on the connection whose id contains `connection`, without endpoints.
   */
  | { readonly kind: 'config'; readonly connection: string };

/**
 * `syncz`: the sync status of all connections, with nonces. `connections`: their ids. `adsz`: the node of the connection whose
 * id contains `proxyID`.
 */
export type DebugPage = 'syncz' | 'connections' | `adsz?proxyID=${string}`;

/** istiod rejects a node id of another form: type, address, workload and domain. */
export const usualNodeId = 'sidecar~127.0.0.1~xdscope.istio-system~istio-system.svc.cluster.local';

const debugType = 'istio.io/debug';

/** A DiscoveryRequest. Each has the node, because each may be the first on its stream. */
export function encodeDebugRequest(request: DebugRequest, nodeId: string): Buffer {
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  // istiod recognizes requests for its own state by the generator "event".
  const metadata = { fields: { GENERATOR: { stringValue: 'event' } } };
  const node = { id: nodeId, userAgentName: 'xdscope', metadata };
  return Buffer.from(type.encode({ node, ...resourcesOf(request) }).finish());
}

function resourcesOf(request: DebugRequest): { typeUrl: string; resourceNames?: string[] } {
  switch (request.kind) {
    case 'status':
      return { typeUrl: `${debugType}/syncz` };
    case 'page':
      return { typeUrl: debugType, resourceNames: [request.page] };
    case 'config':
      return { typeUrl: `${debugType}/config_dump`, resourceNames: [request.connection] };
  }
}
