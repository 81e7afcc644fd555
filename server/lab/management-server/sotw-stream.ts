import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { CDS, EDS, findResourceType } from '@/lib/xds/resource-type';
import type { Delivery } from './delivery';
import {
  decodeDiscoveryRequest,
  type NodeMessage,
  RejectedRequest,
  type Rejection,
} from './discovery-messages';
import {
  encodeDebugResponse,
  encodeHeartbeats,
  encodeSotwResponse,
  type ResponseHead,
} from './encode-response';
import { answerDebug, isDebugType } from './istio-debug';
import { NonceIndex } from './nonce-index';
import type { StoredResource } from './snapshot-store';
import {
  forgetDeliveries,
  initialSotwState,
  planSotw,
  receiveSotw,
  type SotwPlan,
  type SotwState,
  sentSotw,
  sentSotwHeartbeat,
} from './sotw-state';
import { inSendOrder, type RequestEvent, type StreamContext, type StreamLogic } from './stream-logic';
import type { TypeDeliveries } from './type-deliveries';

/** Client features, in all spellings, by which clients declare that they accept wrapped resources. */
const wrapperFeatures = new Set([
  'xds.config.resource-in-sotw',
  'xds.config.supports-resource-in-sotw',
  'envoy.config.resource-in-sotw',
]);

/** State of the world: each type has its own state; the node belongs to the stream. */
export class SotwStream implements StreamLogic {
  readonly #context: StreamContext;
  readonly #rejectsDebug: (typeUrl: string) => Rejection | undefined;
  node: NodeMessage | null = null;
  readonly #states = new Map<string, SotwState>();
  readonly #nonces = new NonceIndex();
  /** Clusters that were sent again with another content, whose endpoints were not sent since, by the name of both. */
  readonly #changedClusters = new Set<string>();
  /** Answers to requests for istiod's debug types, which are not subscriptions. */
  readonly #debugAnswers: Buffer[] = [];

  constructor(
    context: StreamContext,
    readonly method: DiscoveryMethod,
    /** Rejects requests for istiod's debug types. */
    rejectsDebug: (typeUrl: string) => Rejection | undefined,
  ) {
    this.#context = context;
    this.#rejectsDebug = rejectsDebug;
  }

  receive(bytes: Uint8Array): RequestEvent {
    const { node, request } = decodeDiscoveryRequest(bytes, this.method);
    this.node ??= node ?? {};
    const { path } = this.method;
    const reported = {
      ...request,
      nodeId: this.node.id ?? '',
      method: 'sotw',
      path,
      unsubscribed: [],
    } as const;
    if (isDebugType(request.typeUrl)) {
      const rejection = this.#rejectsDebug(request.typeUrl);
      if (rejection !== undefined) throw new RejectedRequest(rejection);
      this.#debugAnswers.push(this.#answerDebug(request));
      return { ...reported, reading: 'debug' };
    }
    const before = this.#states.get(request.typeUrl) ?? initialSotwState;
    const { state, reading } = receiveSotw(before, request, this.#context.now(), this.node.userAgentName);
    // A changed cluster warms until its endpoints are supplied, although they have not changed: Envoy requests them again.
    const isRepeated = request.typeUrl === EDS.typeUrl && reading === 'subscription' && before.nonce !== '';
    this.#states.set(request.typeUrl, isRepeated ? forgetDeliveries(state, this.#changedClusters) : state);
    if (reading === 'ack' || reading === 'nack') {
      this.#nonces.answered(request.typeUrl, request.responseNonce, request.errorDetail);
    }
    return { ...reported, reading };
  }

  takeResponse(): Buffer | undefined {
    const answer = this.#debugAnswers.shift();
    if (answer !== undefined) return answer;
    for (const typeUrl of inSendOrder(this.#states.keys())) {
      if (this.#context.isHeld(typeUrl)) continue;
      const state = this.#states.get(typeUrl) ?? initialSotwState;
      const view = this.#context.store.view(this.node?.id ?? '', typeUrl);
      const plan = planSotw(typeUrl, state, view);
      if (plan === undefined) continue;
      if (this.#context.repeatsEndpoints) this.#noteChanges(typeUrl, state, plan);
      const head = this.#headOf(typeUrl, view.version);
      const at = this.#context.now();
      this.#states.set(typeUrl, sentSotw(typeUrl, state, plan, { ...head, at }));
      this.#nonces.sent(typeUrl, head.nonce, at);
      return encodeSotwResponse(head, plan, (resource) => this.#wraps(resource));
    }
    return undefined;
  }

  #noteChanges(typeUrl: string, { deliveries }: SotwState, { resources }: SotwPlan): void {
    for (const resource of resources) {
      const before = deliveries.get(resource.name)?.resource;
      if (typeUrl === EDS.typeUrl) this.#changedClusters.delete(resource.name);
      else if (typeUrl === CDS.typeUrl && before !== undefined && before !== resource) {
        this.#changedClusters.add(resource.name);
      }
    }
  }

  takeHeartbeats(typeUrl: string): Buffer | undefined {
    const state = this.#states.get(typeUrl) ?? initialSotwState;
    const sent = [...state.deliveries.values()].map(({ resource }) => resource);
    const mortal = sent.filter(({ ttlMs }) => ttlMs !== undefined);
    if (mortal.length === 0) return undefined;
    // If absence deletes, the response must contain all resources.
    const full = findResourceType(typeUrl)?.absenceDeletes === true;
    const head = this.#headOf(typeUrl, state.versionInfo);
    this.#states.set(typeUrl, sentSotwHeartbeat(state, head.nonce));
    this.#nonces.sent(typeUrl, head.nonce, this.#context.now());
    return encodeHeartbeats(head, full ? sent : mortal);
  }

  isAnswered(): boolean {
    return [...this.#states.values()].every(({ awaitingVerdict }) => !awaitingVerdict);
  }

  deliveriesOf(typeUrl: string): ReadonlyMap<string, Delivery> {
    return (this.#states.get(typeUrl) ?? initialSotwState).deliveries;
  }

  types(): TypeDeliveries[] {
    return [...this.#states].map(([typeUrl, { subscription, deliveries }]) => {
      return { typeUrl, subscription, deliveries, nonces: this.#nonces.of(typeUrl) };
    });
  }

  #answerDebug(request: { readonly typeUrl: string; readonly resourceNames: readonly string[] }): Buffer {
    const nonce = this.#context.nextNonce();
    return encodeDebugResponse(request.typeUrl, nonce, answerDebug(request, this.#context.proxies()));
  }

  #headOf(typeUrl: string, versionInfo: string): ResponseHead {
    const method = this.method,
      context = this.#context;
    const { omitsTypeUrl } = context.behavior();
    const nonce = context.nextNonce();
    const isOmitted = omitsTypeUrl && method.type !== null;
    return { method, typeUrl, versionInfo, nonce, omitsTypeUrl: isOmitted, identifier: context.identifier };
  }

  /** Only a wrapper has a field for a time to live, and it is legal only for clients that declare support. */
  #wraps({ ttlMs }: StoredResource): boolean {
    if (this.#context.behavior().wrapsInSotw) return true;
    return ttlMs !== undefined && (this.node?.clientFeatures ?? []).some((each) => wrapperFeatures.has(each));
  }
}
