import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { findResourceType } from '@/lib/xds/resource-type';
import { decodeDiscoveryRequest, type NodeMessage } from './discovery-messages';
import { encodeHeartbeats, encodeSotwResponse, type ResponseHead } from './encode-response';
import type { StoredResource } from './snapshot-store';
import {
  initialSotwState,
  planSotw,
  receiveSotw,
  type SotwState,
  sentSotw,
  sentSotwHeartbeat,
} from './sotw-state';
import {
  inSendOrder,
  type RequestEvent,
  type StreamContext,
  type StreamLogic,
  type TypeDeliveries,
} from './stream-logic';

/** In all its spellings, a client's word that it can take a resource out of its wrapper. */
const wrapperFeatures = new Set([
  'xds.config.resource-in-sotw',
  'xds.config.supports-resource-in-sotw',
  'envoy.config.resource-in-sotw',
]);

/** State of the world: every type has its own state, the node is the stream's. */
export class SotwStream implements StreamLogic {
  node: NodeMessage | null = null;
  private readonly states = new Map<string, SotwState>();

  constructor(
    private readonly context: StreamContext,
    readonly method: DiscoveryMethod,
  ) {}

  receive(bytes: Uint8Array): RequestEvent {
    const { node, request } = decodeDiscoveryRequest(bytes, this.method);
    this.node ??= node ?? {};
    const before = this.states.get(request.typeUrl) ?? initialSotwState;
    const { state, reading } = receiveSotw(before, request, this.context.now(), this.node.userAgentName);
    this.states.set(request.typeUrl, state);
    const { path } = this.method;
    return { ...request, nodeId: this.node.id ?? '', method: 'sotw', path, reading, unsubscribed: [] };
  }

  takeResponse(): Buffer | undefined {
    for (const typeUrl of inSendOrder(this.states.keys())) {
      if (this.context.isHeld(typeUrl)) continue;
      const state = this.states.get(typeUrl) ?? initialSotwState;
      const view = this.context.store.view(this.node?.id ?? '', typeUrl);
      const plan = planSotw(typeUrl, state, view);
      if (plan === undefined) continue;
      const head = this.headOf(typeUrl, view.version);
      this.states.set(typeUrl, sentSotw(typeUrl, state, plan, { ...head, at: this.context.now() }));
      return encodeSotwResponse(head, plan, (resource) => this.wraps(resource));
    }
    return undefined;
  }

  takeHeartbeats(typeUrl: string): Buffer | undefined {
    const state = this.states.get(typeUrl) ?? initialSotwState;
    const sent = [...state.deliveries.values()].map(({ resource }) => resource);
    const mortal = sent.filter(({ ttlMs }) => ttlMs !== undefined);
    if (mortal.length === 0) return undefined;
    // Where absence deletes, the rest has to be there too.
    const full = findResourceType(typeUrl)?.absenceDeletes === true;
    const head = this.headOf(typeUrl, state.versionInfo);
    this.states.set(typeUrl, sentSotwHeartbeat(state, head.nonce));
    return encodeHeartbeats(head, full ? sent : mortal);
  }

  isAnswered(): boolean {
    return [...this.states.values()].every(({ awaitingVerdict }) => !awaitingVerdict);
  }

  types(): TypeDeliveries[] {
    return [...this.states].map(([typeUrl, { subscription, deliveries }]) => {
      return { typeUrl, subscription, deliveries };
    });
  }

  private headOf(typeUrl: string, versionInfo: string): ResponseHead {
    const { method, context } = this;
    const { omitsTypeUrl } = context.manner();
    const nonce = context.nextNonce();
    const isOmitted = omitsTypeUrl && method.type !== null;
    return { method, typeUrl, versionInfo, nonce, omitsTypeUrl: isOmitted, identifier: context.identifier };
  }

  /** Only a wrapper has room for a time to live; and it is legal only for clients who say that they know it. */
  private wraps({ ttlMs }: StoredResource): boolean {
    if (this.context.manner().wrapsInSotw) return true;
    return ttlMs !== undefined && (this.node?.clientFeatures ?? []).some((each) => wrapperFeatures.has(each));
  }
}
