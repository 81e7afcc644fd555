import { messageType } from '../codec/root';

/** istiod's debug types on ADS: each request is answered once, and is no subscription. */
export type DebugRequest =
  | { readonly kind: 'status' }
  /**
   * The sync status as JSON, with nonces. Newer istiods send it only to authenticated clients of their own namespace.
   */
  | { readonly kind: 'nonces' }
  /** The config that istiod would send to this proxy now, without endpoints. */
  | { readonly kind: 'config'; readonly nodeId: string };

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
    case 'nonces':
      return { typeUrl: debugType, resourceNames: ['syncz'] };
    case 'config':
      return { typeUrl: `${debugType}/config_dump`, resourceNames: [request.nodeId] };
  }
}
