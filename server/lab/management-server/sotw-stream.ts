import { decodeDiscoveryRequest, encodeDiscoveryResponse, type NodeMessage } from './discovery-messages';
import { initialSotwState, planSotw, receiveSotw, type SotwState, sentSotw } from './sotw-state';
import {
  inSendOrder,
  type RequestEvent,
  type StreamContext,
  type StreamLogic,
  type TypeDeliveries,
} from './stream-logic';

/** StreamAggregatedResources: every type has its own state, the node is the stream's. */
export class SotwStream implements StreamLogic {
  node: NodeMessage | null = null;
  private readonly states = new Map<string, SotwState>();

  constructor(private readonly context: StreamContext) {}

  receive(bytes: Uint8Array): RequestEvent {
    const { node, request } = decodeDiscoveryRequest(bytes);
    this.node ??= node ?? {};
    const before = this.states.get(request.typeUrl) ?? initialSotwState;
    const { state, reading } = receiveSotw(before, request, this.context.now());
    this.states.set(request.typeUrl, state);
    return { ...request, nodeId: this.node.id ?? '', method: 'sotw', reading, unsubscribed: [] };
  }

  takeResponse(): Buffer | undefined {
    for (const typeUrl of inSendOrder(this.states.keys())) {
      const state = this.states.get(typeUrl) ?? initialSotwState;
      const view = this.context.store.view(this.node?.id ?? '', typeUrl);
      const resources = planSotw(typeUrl, state, view);
      if (resources === undefined) continue;
      const envelope = { typeUrl, versionInfo: view.version, nonce: this.context.nextNonce() };
      this.states.set(typeUrl, sentSotw(typeUrl, state, { ...envelope, resources, at: this.context.now() }));
      return encodeDiscoveryResponse(envelope, resources);
    }
    return undefined;
  }

  types(): TypeDeliveries[] {
    return [...this.states].map(([typeUrl, { subscription, deliveries }]) => {
      return { typeUrl, subscription, deliveries };
    });
  }
}
