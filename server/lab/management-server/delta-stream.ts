import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { Delivery } from './delivery';
import {
  type DeltaState,
  initialDeltaState,
  planDelta,
  receiveDelta,
  sentDelta,
  sentDeltaHeartbeat,
} from './delta-state';
import { decodeDeltaRequest, type NodeMessage } from './discovery-messages';
import { encodeDeltaResponse, encodeHeartbeats, type ResponseHead } from './encode-response';
import { NonceIndex } from './nonce-index';
import { inSendOrder, type RequestEvent, type StreamContext, type StreamLogic } from './stream-logic';
import type { TypeDeliveries } from './type-deliveries';

/** Delta: each type has its own state; the node belongs to the stream. */
export class DeltaStream implements StreamLogic {
  readonly #context: StreamContext;
  node: NodeMessage | null = null;
  readonly #states = new Map<string, DeltaState>();
  readonly #nonces = new NonceIndex();

  constructor(
    context: StreamContext,
    readonly method: DiscoveryMethod,
  ) {
    this.#context = context;
  }

  receive(bytes: Uint8Array): RequestEvent {
    const { node, request } = decodeDeltaRequest(bytes, this.method);
    this.node ??= node ?? {};
    const { typeUrl, responseNonce, errorDetail } = request;
    const before = this.#states.get(typeUrl) ?? initialDeltaState;
    const { state, reading } = receiveDelta(before, request, this.#context.now(), this.node.userAgentName);
    this.#states.set(typeUrl, state);
    if (reading !== 'subscription') this.#nonces.answered(typeUrl, responseNonce, errorDetail);
    return {
      nodeId: this.node.id ?? '',
      method: 'delta',
      path: this.method.path,
      typeUrl,
      reading,
      resourceNames: request.subscribe,
      unsubscribed: request.unsubscribe,
      initialResourceVersions: request.initialResourceVersions,
      versionInfo: '',
      responseNonce,
      errorDetail,
    };
  }

  takeResponse(): Buffer | undefined {
    for (const typeUrl of inSendOrder(this.#states.keys())) {
      if (this.#context.isHeld(typeUrl)) continue;
      const state = this.#states.get(typeUrl) ?? initialDeltaState;
      const view = this.#context.store.view(this.node?.id ?? '', typeUrl, 'delta');
      const plan = planDelta(typeUrl, state, view);
      if (plan === undefined) continue;
      const head = this.#headOf(typeUrl);
      const at = this.#context.now();
      this.#states.set(typeUrl, sentDelta(state, plan, { nonce: head.nonce, at }));
      this.#nonces.sent(typeUrl, head.nonce, at);
      return encodeDeltaResponse(head, plan);
    }
    return undefined;
  }

  takeHeartbeats(typeUrl: string): Buffer | undefined {
    const state = this.#states.get(typeUrl) ?? initialDeltaState;
    const mortal = [...state.deliveries.values()].flatMap(({ resource }) =>
      resource.ttlMs === undefined ? [] : [resource],
    );
    if (mortal.length === 0) return undefined;
    const head = this.#headOf(typeUrl);
    this.#states.set(typeUrl, sentDeltaHeartbeat(state, head.nonce));
    this.#nonces.sent(typeUrl, head.nonce, this.#context.now());
    return encodeHeartbeats(head, mortal);
  }

  isAnswered(): boolean {
    return [...this.#states.values()].every(({ awaiting }) => awaiting.size === 0);
  }

  deliveriesOf(typeUrl: string): ReadonlyMap<string, Delivery> {
    return (this.#states.get(typeUrl) ?? initialDeltaState).deliveries;
  }

  types(): TypeDeliveries[] {
    return [...this.#states].map(([typeUrl, { subscription, deliveries }]) => {
      return { typeUrl, subscription, deliveries, nonces: this.#nonces.of(typeUrl) };
    });
  }

  #headOf(typeUrl: string): ResponseHead {
    const method = this.method,
      context = this.#context;
    const versionInfo = context.store.view(this.node?.id ?? '', typeUrl, 'delta').version;
    const omitsTypeUrl = context.behavior().omitsTypeUrl && method.type !== null;
    const { identifier } = context;
    return { method, typeUrl, versionInfo, nonce: context.nextNonce(), omitsTypeUrl, identifier };
  }
}
