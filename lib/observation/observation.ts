import type { EpochMs } from '../xds/units';
import type { ConnectionChanges } from './connection';
import type { DeclaredSource } from './declared-source';
import type { Locality } from './locality';
import type { ResourceChanges } from './resource-state';
import type { Vantage } from './vantage';

export type { Locality } from './locality';
export type { Vantage } from './vantage';

/** Which side reports it: an xDS client reports what it runs, a control plane what it sent. */
export type Side = 'client' | 'control-plane';

/** envoy.config.core.v3.Node, as reported by the client or by its control plane. */
export interface NodeInfo {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality | null;
  readonly userAgentName: string;
  readonly userAgentVersion: string;
  readonly clientFeatures: readonly string[];
  /** google.protobuf.Struct as plain JSON, secrets already redacted. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Base {
  readonly at: EpochMs;
  readonly vantage: Vantage;
  /** Set only with the vantage `dump`: the vantage in the imported recording. Absent if the file is no recording. */
  readonly originalVantage?: Vantage;
  readonly sourceId: string;
  /**
   * Set if an observation is split because it has too many rows: the parts follow each other, and differ only in their
   * lists. Absent: it is whole.
   */
  readonly part?: Part;
}

export interface Part {
  /** Starts at 1. */
  readonly number: number;
  readonly of: number;
}

interface OfClient extends Base {
  /** clientIdOf(node id, scope). */
  readonly clientId: string;
}

export interface Problem {
  /** Stable and short, as in "UNAVAILABLE" or "NOT_HTTP2". */
  readonly code: string;
  /** One sentence with the expected and the actual value. */
  readonly message: string;
  /** What to try. Empty: there is no advice. */
  readonly hint: string;
}

/** Declares the kind and target of the source, before its first observation and after each change. */
export interface SourceDeclared extends Base {
  readonly kind: 'source-declared';
  readonly source: DeclaredSource;
}
export interface SourceUp extends Base {
  readonly kind: 'source-up';
}
export interface SourceDown extends Base {
  readonly kind: 'source-down';
  readonly problem: Problem;
}

/** A CSDS answer reported something new about one client (one ClientConfig). Unchanged answers make no observation. */
export interface ClientConfigChanged extends OfClient, ResourceChanges {
  readonly kind: 'client-config-changed';
  readonly side: Side;
  readonly node: NodeInfo;
  /** gRFC A71: target URI or "#server". Empty if the client does not report it. */
  readonly scope: string;
  /**
   * When the source was polled before and reported none of these changes: they happened after that and before `at`.
   * Absent: it was not polled before, or did not answer for this client.
   */
  readonly previousAt?: EpochMs;
}

/** The source answers, but names this client no longer. */
export interface ClientGone extends OfClient {
  readonly kind: 'client-gone';
  readonly side: Side;
  readonly reason: string;
  /** When the source was asked before and still named the client. Absent if that is not known. */
  readonly previousAt?: EpochMs;
}

/** Vantages: probe, tap and lrs. `node` and `scope` identify the client. */
export interface StreamOpened extends OfClient {
  readonly kind: 'stream-opened';
  readonly streamId: string;
  readonly server: string;
  readonly method: string;
  readonly node: NodeInfo;
  readonly scope: string;
  /** The client starts with nothing cached, so what an earlier process of it held is no longer true. */
  readonly cacheEmpty?: boolean;
  /** The client's address of the connection to the tap, as in "127.0.0.1:43210". */
  readonly peer?: string;
}
export interface StreamClosed extends OfClient {
  readonly kind: 'stream-closed';
  readonly streamId: string;
  /** gRPC status code name and details. */
  readonly code: string;
  readonly details: string;
  /** gRFC A57: a stream that ends before any response is a connectivity error. */
  readonly hadResponse: boolean;
  /** Number of other streams of the client that are still open (one for each server or type). Absent: 0. */
  readonly othersOpen?: number;
}
/**
 * A DiscoveryRequest that is neither ACK nor NACK: a subscription. New names become REQUESTED (in `changed`). One message is
 * one observation: an ACK or NACK that changes the subscription has the names as well.
 */
export interface RequestSent extends OfClient, ResourceChanges {
  readonly kind: 'request-sent';
  readonly streamId: string;
  readonly typeUrl: string;
  readonly resourceNames: readonly string[];
  /** Delta: resource_names_unsubscribe. Absent: none. */
  readonly unsubscribedNames?: readonly string[];
  readonly versionInfo: string;
  readonly responseNonce: string;
}
export interface ReceivedResource {
  readonly name: string;
  readonly hash: string;
  readonly sizeBytes: number;
}
export interface ResponseReceived extends OfClient {
  readonly kind: 'response-received';
  readonly streamId: string;
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly sizeBytes: number;
  /** Resources whose bytes the client did not hold: a full response of 30,000 with one change names one. */
  readonly resources: readonly ReceivedResource[];
  /** Number of other resources in the response, which the client holds unchanged. */
  readonly unchangedResources?: number;
  /**
   * Every resource name in the response, in order. Set only if it cannot be concluded: state of the world with a part
   * of the resources of the type. Absent: all that the client holds after it (state of the world), or those in
   * `resources` (delta).
   */
  readonly names?: readonly string[];
  /** Delta: removed_resources. Absent: none. */
  readonly removedNames?: readonly string[];
  /** Milliseconds, with fractions, since the newest unanswered request of the type. Absent: the response was a push. */
  readonly tookMs?: number;
  readonly controlPlane: string;
  readonly apiVersion?: 'v2';
  /**
   * Number of responses of the type since the last one that was reported, this one included, of which the earlier ones
   * changed nothing. Absent: 1.
   */
  readonly repeats?: number;
}
export interface AckSent extends OfClient, ResourceChanges {
  readonly kind: 'ack-sent';
  readonly streamId: string;
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  /**
   * As in RequestSent, if the ACK changes the subscription at the same time. Absent: the same names (state of the
   * world), or none (delta).
   */
  readonly resourceNames?: readonly string[];
  /** As in RequestSent. */
  readonly unsubscribedNames?: readonly string[];
  /** Time to ACK: milliseconds, with fractions, since the receipt of the response. Absent: not known. */
  readonly tookMs?: number;
  /** The message, a poll of REST, has no response_nonce: it answers the response by its version_info. */
  readonly isInferred?: true;
}
export interface NackSent extends OfClient, ResourceChanges {
  readonly kind: 'nack-sent';
  readonly streamId: string;
  readonly typeUrl: string;
  /** The last accepted version, as sent. */
  readonly versionInfo: string;
  readonly rejectedVersion: string;
  readonly nonce: string;
  /** error_detail.message. */
  readonly errorDetail: string;
  /** error_detail.code, a gRPC status code. Absent: it was not recorded. */
  readonly errorCode?: number;
  /** As in AckSent. */
  readonly resourceNames?: readonly string[];
  readonly unsubscribedNames?: readonly string[];
  readonly tookMs?: number;
  /** The message, a poll of REST, has neither response_nonce nor error_detail: `errorDetail` states the evidence. */
  readonly isInferred?: true;
  /** Number of equal NACKs since the last one that was reported, this one included, each of another response. Absent: 1. */
  readonly repeats?: number;
}
/** Copies of messages that the tap dropped because recording was too slow. The stream itself was not affected. */
export interface CopiesDropped extends OfClient {
  readonly kind: 'copies-dropped';
  readonly streamId: string;
  readonly messages: number;
  readonly bytes: number;
  /** When the first dropped message passed. The last one passed at `at`. */
  readonly from: EpochMs;
  readonly reason: string;
}
/** A timer of resources expired: they became DOES_NOT_EXIST (gRFC A88: TIMEOUT) or were removed. */
export interface TimerExpired extends OfClient, ResourceChanges {
  readonly kind: 'timer-expired';
  readonly streamId: string;
  /** `resource` (the default): no response contained them. `ttl`: their TTL expired. */
  readonly timer?: 'resource' | 'ttl';
}
/** gRFC A71: an authority uses another server. */
export interface ServerSwitched extends OfClient {
  readonly kind: 'server-switched';
  /** null: old-style names, which use the top-level servers. */
  readonly authority: string | null;
  readonly from: string;
  readonly to: string;
  /** `fallback`: to a less preferred server; `return`: back to a more preferred one. */
  readonly direction: 'fallback' | 'return';
  readonly reason: string;
  /** Set if the client has opened no stream yet, because no other observation reported its node. */
  readonly node?: NodeInfo;
}
/** The cache of the client changed without a message that was recorded. */
export interface CacheChanged extends OfClient, ResourceChanges {
  readonly kind: 'cache-changed';
  readonly reason: string;
}

/** 64-bit counters travel as decimal strings: they may exceed 2^53. */
export type Uint64 = string;

export interface LocalityLoad {
  readonly locality: Locality;
  readonly priority: number;
  /** Deltas over the interval. */
  readonly successful: Uint64;
  readonly errors: Uint64;
  /** null when the client never sets it (grpc-go). Proto3 cannot tell 0 from unset: see server/lrs. */
  readonly issued: Uint64 | null;
  /** A gauge at the moment of the report. */
  readonly inProgress: Uint64;
  /** Deltas, and the gauge. gRPC clients send none of them. Absent: 0 or not set. */
  readonly newConnections?: Uint64;
  readonly failedConnections?: Uint64;
  readonly activeConnections?: Uint64;
  /** gRFCs A64 and A85. Absent: none. */
  readonly metrics?: readonly LoadMetric[];
  /** Set if the client was requested to report endpoints, and does. Absent: none. */
  readonly endpoints?: readonly EndpointLoad[];
}
/** A custom metric that backends report with each request (ORCA). Both numbers are deltas. */
export interface LoadMetric {
  readonly name: string;
  readonly count: Uint64;
  /** Sum of the values; null if it is not finite. */
  readonly sum: number | null;
}
export interface EndpointLoad {
  /** "10.0.0.1:8080", or the path of a pipe. */
  readonly address: string;
  readonly successful: Uint64;
  readonly errors: Uint64;
  readonly issued: Uint64 | null;
  readonly inProgress: Uint64;
  readonly metrics?: readonly LoadMetric[];
}
export interface ClusterLoad {
  readonly clusterName: string;
  readonly clusterServiceName: string;
  /** As reported; null where unset or absurd: the first report of grpc-go claims 292 years. See server/lrs. */
  readonly intervalMs: number | null;
  readonly totalDropped: Uint64;
  readonly dropped: readonly { readonly category: string; readonly count: Uint64 }[];
  readonly localities: readonly LocalityLoad[];
}
export interface LoadReported extends OfClient {
  readonly kind: 'load-reported';
  readonly node: NodeInfo;
  readonly scope: string;
  readonly streamId: string;
  readonly clusters: readonly ClusterLoad[];
  /** Number of earlier reports of the stream that are only in the load series and not in the log. Absent: 0. */
  readonly leftOut?: number;
}

/** A poll of channelz found other channels, subchannels or listeners of the client's process, or other states of them. */
export interface ConnectionsChanged extends OfClient, ConnectionChanges {
  readonly kind: 'connections-changed';
  readonly node: NodeInfo;
  readonly scope: string;
}

/** The embedded lab did something: a background fault, a crash, a restart. */
export interface LabEvent extends Base {
  readonly kind: 'lab-event';
  /** Stable identifier, as in "client-crashed", "client-restarted", "backend-stopped", "bad-resource-pushed". */
  readonly what: string;
  readonly subject: string;
  readonly text: string;
}

export type Observation =
  | SourceDeclared
  | SourceUp
  | SourceDown
  | ClientConfigChanged
  | ClientGone
  | StreamOpened
  | StreamClosed
  | RequestSent
  | ResponseReceived
  | AckSent
  | NackSent
  | CopiesDropped
  | TimerExpired
  | ServerSwitched
  | CacheChanged
  | LoadReported
  | ConnectionsChanged
  | LabEvent;

export type Recorded<T extends Observation = Observation> = T & { readonly seq: number };
