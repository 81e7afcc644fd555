import { messageType } from '../codec/root';

/** istiod's types, asked for on ADS: each request is answered once, and makes no subscription. */
export type DebugQuestion =
  | { readonly kind: 'status' }
  /** As JSON, with nonces: newer istiods tell them only to who is authenticated, from their own namespace. */
  | { readonly kind: 'nonces' }
  /** What it would send to this proxy now; endpoints are left out. */
  | { readonly kind: 'config'; readonly nodeId: string };

/** istiod rejects a node id of another form: type, address, workload and domain. */
export const usualNodeId = 'sidecar~127.0.0.1~xdscope.istio-system~istio-system.svc.cluster.local';

const debugType = 'istio.io/debug';

/** A DiscoveryRequest. The node is in each: any may be the first on its stream. */
export function encodeQuestion(question: DebugQuestion, nodeId: string): Buffer {
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  // "event" is how istiod knows who asks for its own state, and is no proxy.
  const metadata = { fields: { GENERATOR: { stringValue: 'event' } } };
  const node = { id: nodeId, userAgentName: 'xdscope', metadata };
  return Buffer.from(type.encode({ node, ...askedFor(question) }).finish());
}

function askedFor(question: DebugQuestion): { typeUrl: string; resourceNames?: string[] } {
  switch (question.kind) {
    case 'status':
      return { typeUrl: `${debugType}/syncz` };
    case 'nonces':
      return { typeUrl: debugType, resourceNames: ['syncz'] };
    case 'config':
      return { typeUrl: `${debugType}/config_dump`, resourceNames: [question.nodeId] };
  }
}
