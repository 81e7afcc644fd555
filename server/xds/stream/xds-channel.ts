import type { ResponseEnvelope } from '../response/response-envelope';
import type { ResponseOrder } from '../response/response-order';
import type { StreamEnd } from './transport';

/** What the client asks of one management server, whatever the transport. */
export interface XdsChannel {
  /** Idempotent. */
  start(): void;
  /** Resolves when streams, timers and connection are gone. Versions stay, for the next start. */
  stop(): Promise<void>;
  /** Replaces what is wanted of a type; what has to be sent for it is sent at once. */
  subscribe(typeUrl: string, subscription: Subscription): void;
  /**
   * What went out: the ACK or NACK, and what had to be asked for anew with it. Empty where no answer is due: a type that
   * was never asked for, a stream that is gone.
   */
  answer(response: ValidatedResponse): readonly SentRequest[];
}

/** Upward: what a channel reports the client that owns it. One channel may have several streams at a time. */
export interface XdsChannelHandler {
  /** A stream is tried. If no connection comes about, onStreamClosed is all that follows. */
  onConnecting(): void;
  /** The stream is on a connection that is ready. */
  onStreamOpened(stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest): void;
  /** Not there: what comes is not compared with anything while it comes in. */
  recall?(typeUrl: string): ResponseOrder | undefined;
  /** To be answered with answer() before the promise settles; the stream reads no further until then. */
  onResponse(streamId: string, response: ResponseEnvelope): Promise<void>;
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void;
  /** Delta, asked on each new stream: name -> version of all that is held of the type (initial_resource_versions). */
  heldVersions(typeUrl: string): ReadonlyMap<string, string>;
}

export interface OpenedStream {
  /** Unique for each stream, also over restarts of the process. */
  readonly streamId: string;
  /** "package.Service/Method", or the URL that is polled, or the path that is watched. */
  readonly method: string;
  /** null where one stream carries all types. */
  readonly typeUrl: string | null;
}

export interface ChannelStreamEnd extends StreamEnd {
  /** null where one stream carried all types. */
  readonly typeUrl: string | null;
  /** Was onStreamOpened reported? */
  readonly wasOpened: boolean;
  readonly hadResponse: boolean;
  /** gRFC A57: it ended before any response. Or with one that nobody can read. Never when we ended it ourselves. */
  readonly isFailure: boolean;
  /** null when nobody wants a next stream. */
  readonly retryInMs: number | null;
}

/** What is wanted of one type. `wildcard`: everything that the server has. */
export interface Subscription {
  readonly wildcard: boolean;
  readonly names: ReadonlySet<string>;
}

export function isWanted({ wildcard, names }: Subscription): boolean {
  return wildcard || names.size > 0;
}

export function isSameSubscription(a: Subscription, b: Subscription): boolean {
  return a.wildcard === b.wildcard && a.names.size === b.names.size && !hasGained(a, b);
}

/** Whether `after` covers something that `before` does not. */
export function hasGained(before: Subscription, after: Subscription): boolean {
  if (before.wildcard) return false;
  if (after.wildcard) return true;
  for (const name of after.names) if (!before.names.has(name)) return true;
  return false;
}

/** A DiscoveryRequest or DeltaDiscoveryRequest before it is encoded. */
export interface SentRequest {
  readonly isDelta: boolean;
  readonly reason: 'subscription' | 'ack' | 'nack';
  readonly typeUrl: string;
  readonly withNode: boolean;
  /** State of the world: the newest version that we accepted. Empty in delta, whose requests have none. */
  readonly versionInfo: string;
  readonly responseNonce: string;
  /** State of the world: all that is wanted, in every request. Delta: resource_names_subscribe. "*" is the wildcard. */
  readonly resourceNames: readonly string[];
  /** Delta: resource_names_unsubscribe. */
  readonly unsubscribed: readonly string[];
  /** Delta, in the first request of a type on a stream only. */
  readonly initialResourceVersions: ReadonlyMap<string, string>;
  /** A NACK is recognised by its error_detail and by nothing else. Empty otherwise. */
  readonly errorDetail: string;
}

/** How we took a response. */
export type Verdict =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'rejected';
      readonly errorDetail: string;
      /** State of the world: the NACK carries the new version, as C-core and Node say it where part was good. */
      readonly movesVersion?: true;
    };

export interface ValidatedResponse {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly verdict: Verdict;
  /** After it, is a name that is wanted still not heard of? Not there: none is. */
  readonly isAwaited?: (name: string) => boolean;
}
