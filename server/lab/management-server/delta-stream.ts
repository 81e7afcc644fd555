import { type DeltaState, initialDeltaState, planDelta, receiveDelta, sentDelta } from './delta-state';
import { decodeDeltaRequest, encodeDeltaResponse, type NodeMessage } from './discovery-messages';
import {
  inSendOrder,
  type RequestEvent,
  type StreamContext,
  type StreamLogic,
  type TypeDeliveries,
} from './stream-logic';

/** DeltaAggregatedResources: every type has its own state, the node is the stream's. */
export class DeltaStream implements StreamLogic {
  node: NodeMessage | null = null;
  private readonly states = new Map<string, DeltaState>();

  constructor(private readonly context: StreamContext) {}

  receive(bytes: Uint8Array): RequestEvent {
    const { node, request } = decodeDeltaRequest(bytes);
    this.node ??= node ?? {};
    const { typeUrl, responseNonce, errorDetail } = request;
    const before = this.states.get(typeUrl) ?? initialDeltaState;
    const { state, reading } = receiveDelta(before, request, this.context.now());
    this.states.set(typeUrl, state);
    return {
      nodeId: this.node.id ?? '',
      method: 'delta',
      typeUrl,
      reading,
      resourceNames: request.subscribe,
      unsubscribed: request.unsubscribe,
      versionInfo: '',
      responseNonce,
      errorDetail,
    };
  }

  takeResponse(): Buffer | undefined {
    for (const typeUrl of inSendOrder(this.states.keys())) {
      const state = this.states.get(typeUrl) ?? initialDeltaState;
      const view = this.context.store.view(this.node?.id ?? '', typeUrl);
      const plan = planDelta(state, view);
      if (plan === undefined) continue;
      const nonce = this.context.nextNonce();
      this.states.set(typeUrl, sentDelta(state, plan, { nonce, at: this.context.now() }));
      return encodeDeltaResponse({ typeUrl, versionInfo: view.version, nonce }, plan);
    }
    return undefined;
  }

  types(): TypeDeliveries[] {
    return [...this.states].map(([typeUrl, { subscription, deliveries }]) => {
      return { typeUrl, subscription, deliveries };
    });
  }
}
