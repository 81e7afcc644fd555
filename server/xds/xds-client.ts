import type { ResourceChanges, ResourceKey } from '@/lib/observation/observation';
import { CDS, EDS, LDS, RDS, type ResourceType } from '@/lib/xds/resource-type';
import { reachableFrom } from './followed-names';
import { GrpcXdsChannel, type GrpcXdsChannelOptions } from './grpc-xds-channel';
import { NackPacing } from './nack-pacing';
import { PendingChanges } from './pending-changes';
import { type ReadResponse, readResources } from './read-resources';
import { ResourceCache } from './resource-cache';
import { ResourceTimers } from './resource-timers';
import type { ResponseEnvelope } from './response-envelope';
import type {
  ChannelStreamEnd,
  JudgedResponse,
  OpenedStream,
  SentRequest,
  Subscription,
  XdsChannel,
  XdsChannelHandler,
} from './xds-channel';

/** Everything that the server offers, or the listeners of these names with all that they lead to. */
export type ClientSubscription =
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'named'; readonly listeners: readonly string[] };

/** Upward: what the client tells whoever runs it. Changes are told once, in the order in which they came about. */
export interface XdsClientHandler {
  onConnecting(): void;
  onStreamOpened(stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest, changes: ResourceChanges): void;
  onResponse(streamId: string, response: ResponseEnvelope, read: ReadResponse): void;
  /** `request` is the ACK or NACK to `response`. */
  onAnswered(
    streamId: string,
    request: SentRequest,
    response: JudgedResponse,
    changes: ResourceChanges,
  ): void;
  onTimerExpired(streamId: string, changes: ResourceChanges): void;
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void;
}

export interface XdsClientOptions extends GrpcXdsChannelOptions {
  readonly subscription: ClientSubscription;
}

interface ClientType {
  readonly type: ResourceType;
  readonly cache: ResourceCache;
  readonly timers: ResourceTimers;
  subscription: Subscription;
}

const nothing: Subscription = { wildcard: false, names: new Set() };
const everything: Subscription = { wildcard: true, names: new Set() };

/**
 * An xDS client in the manner `observe`: it accepts whatever decodes, refuses only what does not, and follows
 * references as a gRPC client does. It holds the cache; the channel below holds the stream.
 */
export class XdsClient implements XdsChannelHandler {
  readonly #channel: XdsChannel;
  /** In the order in which a client learns of them. */
  readonly #types: ReadonlyMap<string, ClientType>;
  readonly #pending = new PendingChanges();
  readonly #pacing = new NackPacing();
  /** NACKs held back, by type. Reset with the stream. */
  readonly #heldBack = new Map<string, { cancel(): void }>();
  #aborter = new AbortController();
  /** Of the stream that is open, or was last. */
  #streamId = '';

  constructor(
    private readonly options: XdsClientOptions,
    private readonly handler: XdsClientHandler,
  ) {
    this.#channel = new GrpcXdsChannel(options, this);
    this.#types = new Map([LDS, RDS, CDS, EDS].map((type) => [type.typeUrl, this.#createType(type)]));
  }

  start(): void {
    this.#aborter = new AbortController();
    this.#resubscribe();
    this.#channel.start();
  }

  /** Resolves when stream, timers and connection are gone. The cache stays, for the next start. */
  async stop(): Promise<void> {
    this.#aborter.abort();
    await this.#channel.stop();
  }

  onConnecting(): void {
    this.handler.onConnecting();
  }

  onStreamOpened(stream: OpenedStream): void {
    this.#streamId = stream.streamId;
    this.handler.onStreamOpened(stream);
  }

  heldVersions(typeUrl: string): ReadonlyMap<string, string> {
    const held = new Map<string, string>();
    const cache = this.#types.get(typeUrl)?.cache;
    for (const name of cache?.names() ?? []) {
      const found = cache?.find(name);
      if (found !== undefined && found.bytes !== null) held.set(name, found.state.versionInfo);
    }
    return held;
  }

  /** gRFC A57: the resource timers start now, on a connected stream, not when the names were wished for. */
  onSubscriptionSent(streamId: string, request: SentRequest): void {
    const found = this.#types.get(request.typeUrl);
    found?.timers.start(found.cache.unheardOf());
    this.handler.onSubscriptionSent(streamId, request, this.#pending.take());
  }

  async onResponse(streamId: string, response: ResponseEnvelope): Promise<void> {
    const { typeUrl, versionInfo, nonce } = response;
    const found = this.#types.get(typeUrl);
    const read = await readResources(response, {
      codec: this.options.codec,
      find: (name) => found?.cache.find(name),
      follow: found !== undefined && found.type !== EDS,
      signal: this.#aborter.signal,
    });
    if (read === undefined) return;
    this.handler.onResponse(streamId, response, read);
    if (found === undefined) return;

    const { cache, timers, subscription } = found;
    timers.cancel(read.resources.map(({ name }) => name));
    const linksBefore = cache.linksRevision;
    this.#pending.add(cache.apply(read.resources, versionInfo, subscription, this.options.clock.now()));
    if (read.problems.length === 0) {
      this.#pacing.forget(typeUrl);
      this.#answer(streamId, { typeUrl, versionInfo, nonce, verdict: { kind: 'accepted' } });
    } else {
      const errorDetail = formatProblems(read.problems);
      this.#refuse(streamId, { typeUrl, versionInfo, nonce, verdict: { kind: 'rejected', errorDetail } });
    }
    if (cache.linksRevision !== linksBefore) this.#resubscribe();
  }

  onStreamClosed(streamId: string, end: ChannelStreamEnd): void {
    for (const { timers } of this.#types.values()) timers.stopAll();
    for (const timer of this.#heldBack.values()) timer.cancel();
    this.#heldBack.clear();
    this.#pacing.forgetAll();
    this.handler.onStreamClosed(streamId, end);
  }

  #answer(streamId: string, judged: JudgedResponse): void {
    this.#heldBack.get(judged.typeUrl)?.cancel();
    this.#heldBack.delete(judged.typeUrl);
    const request = this.#channel.answer(judged);
    if (request !== undefined) this.handler.onAnswered(streamId, request, judged, this.#pending.take());
  }

  #refuse(streamId: string, judged: JudgedResponse & { verdict: { errorDetail: string } }): void {
    const { typeUrl, versionInfo, verdict } = judged;
    const delayMs = this.#pacing.nextDelayMs(typeUrl, versionInfo, verdict.errorDetail);
    if (delayMs === 0) {
      this.#answer(streamId, judged);
      return;
    }
    this.#heldBack.get(typeUrl)?.cancel();
    const timer = this.options.clock.setTimeout(() => this.#answer(streamId, judged), delayMs);
    this.#heldBack.set(typeUrl, timer);
  }

  /** Works out from the roots what is wanted now, and asks for what is different. */
  #resubscribe(): void {
    const { subscription } = this.options;
    const isWildcard = subscription.kind === 'wildcard';
    const roots = isWildcard
      ? this.#held(LDS, CDS)
      : subscription.listeners.map((name) => ({ typeUrl: LDS.typeUrl, name }));
    const reached = reachableFrom(roots, ({ typeUrl, name }) => this.#followsOf(typeUrl, name));
    const at = this.options.clock.now();
    const wanted = [...this.#types.values()].map((each) => {
      const names = reached.get(each.type.typeUrl);
      if (isWildcard && (each.type === LDS || each.type === CDS)) each.subscription = everything;
      else each.subscription = names === undefined ? nothing : { wildcard: false, names };
      const changes = each.cache.want(each.subscription, at);
      each.timers.cancel(changes.removed.map(({ name }) => name));
      this.#pending.add(changes);
      return each;
    });
    for (const { type, subscription } of wanted) this.#channel.subscribe(type.typeUrl, subscription);
  }

  #held(...types: ResourceType[]): ResourceKey[] {
    return types.flatMap(({ typeUrl }) => {
      const cache = this.#types.get(typeUrl)?.cache;
      return [...(cache?.names() ?? [])].map((name) => ({ typeUrl, name }));
    });
  }

  #followsOf(typeUrl: string, name: string): readonly ResourceKey[] {
    return this.#types.get(typeUrl)?.cache.find(name)?.follows ?? [];
  }

  #createType(type: ResourceType): ClientType {
    const cache = new ResourceCache(type.typeUrl, type.absenceDeletes);
    const timers = new ResourceTimers(this.options.clock, (names) => {
      this.#pending.add({ changed: cache.expire(names, this.options.clock.now()), removed: [] });
      this.handler.onTimerExpired(this.#streamId, this.#pending.take());
    });
    return { type, cache, timers, subscription: nothing };
  }
}

const shownProblems = 20;

/** One line each. A server that sent 30,000 broken resources need not read of each. */
function formatProblems(problems: readonly string[]): string {
  const more = problems.length - shownProblems;
  const shown = problems.slice(0, shownProblems);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
