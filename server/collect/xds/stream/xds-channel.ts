import type { ResponseEnvelope } from '../response/response-envelope';
import type { ResponseOrder } from '../response/response-order';
import type { StreamEnd } from './transport';

/** The connection of an XdsClient to one management server, by any transport. */
export interface XdsChannel {
  start(): void;
  /** Resolves when streams, timers and connections have ended. Versions are kept for the next start. */
  stop(): Promise<void>;
  /** Replaces the subscription of a type, and sends the requests at once. */
  subscribe(typeUrl: string, subscription: Subscription): void;
  /** Returns the sent requests, the ACK or NACK first. Empty for a type that was never requested or a closed stream. */
  answer(response: ValidatedResponse): readonly SentRequest[];
}

/** The events of a channel, which may have several streams at a time. */
export interface XdsChannelHandler {
  /** A stream is being opened. If there is no connection, only onStreamClosed follows. */
  onConnecting(): void;
  /** The connection of the stream is ready. */
  onStreamOpened(stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest): void;
  /** If absent, responses are not compared with held resources while they arrive. */
  recall?(typeUrl: string): ResponseOrder | undefined;
  /** The handler calls answer() before the promise settles. The stream reads no further until then. */
  onResponse(streamId: string, response: ResponseEnvelope): Promise<void>;
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void;
  /** Delta: the versions of the held resources of a type by name, for initial_resource_versions on a new stream. */
  heldVersions(typeUrl: string): ReadonlyMap<string, string>;
}

export interface OpenedStream {
  /** Unique even across restarts of the process. */
  readonly streamId: string;
  /** "package.Service/Method", "POST" with the polled URL, or "watch" with the path. */
  readonly method: string;
  /** Null if the stream carries all types. */
  readonly typeUrl: string | null;
}

export interface ChannelStreamEnd extends StreamEnd {
  /** Null if the stream carried all types. */
  readonly typeUrl: string | null;
  /** States whether onStreamOpened was called. */
  readonly wasOpened: boolean;
  readonly hadResponse: boolean;
  /** gRFC A57: the stream ended before any response, or with an unreadable one. Never true for a cancelled stream. */
  readonly isFailure: boolean;
  /** Null if no other stream follows. */
  readonly retryInMs: number | null;
}

/** The wanted resources of one type. `wildcard` means all resources of the server. */
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

/** Returns whether `after` covers a resource that `before` does not. */
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
  /** State of the world: the last accepted version. Empty in delta. */
  readonly versionInfo: string;
  readonly responseNonce: string;
  /** State of the world: all wanted names. Delta: resource_names_subscribe. "*" is the wildcard. */
  readonly resourceNames: readonly string[];
  /** Delta: resource_names_unsubscribe. */
  readonly unsubscribed: readonly string[];
  /** Delta: only in the first request of a type on a stream. */
  readonly initialResourceVersions: ReadonlyMap<string, string>;
  /** Empty unless the request is a NACK, which only its error_detail identifies. */
  readonly errorDetail: string;
}

export type Verdict =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'rejected';
      readonly errorDetail: string;
      /** State of the world: the NACK carries the new version, as in C-core and Node if a resource is valid. */
      readonly movesVersion?: true;
    };

export interface ValidatedResponse {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly verdict: Verdict;
  /** Returns true if a wanted name is still unknown after this response. Absent: none is. */
  readonly isAwaited?: (name: string) => boolean;
}
