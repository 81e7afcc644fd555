import type { ClientStatus, ConfigStatus } from '../xds/status';
import type { EpochMs } from '../xds/units';
import type { DeclaredSource } from './declared-source';
import type { Vantage } from './vantage';

export type { Vantage } from './vantage';

/** Which side reports it: an xDS client reports what it runs, a control plane what it sent. */
export type Side = 'client' | 'control-plane';

export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
}

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

/** envoy.admin.v3.UpdateFailureState. */
export interface ErrorState {
  readonly details: string;
  /** The version that was rejected; empty when the client does not tell. */
  readonly versionInfo: string;
  readonly lastUpdateAttempt: EpochMs | null;
  /** Body of `failed_configuration`. Some clients put the last GOOD config there (see spec/real-clients.md). */
  readonly failedHash: string | null;
}

/** gRFC A88: trouble of a resource that is in use all the same. Gone with the next good word on it. */
export interface AmbientError {
  /** gRPC status code name, as in "NOT_FOUND". */
  readonly code: string;
  readonly details: string;
  readonly since: EpochMs;
}

/** The bookkeeping of a control plane that reports it of a whole type. Empty: nothing was sent, or acknowledged. */
export interface Nonces {
  readonly sent: string;
  readonly acked: string;
}

/** Envoy takes a listener, cluster or secret into use in steps, and lets an old listener go slowly. */
export type Stage = 'active' | 'warming' | 'draining';

/** A version that Envoy holds beside the one that a row reports. */
export interface HeldVersion {
  readonly stage: Stage;
  readonly versionInfo: string;
  readonly lastUpdated: EpochMs | null;
  /** As in ResourceState. */
  readonly hash: string | null;
  readonly sizeBytes: number | null;
}

/** One resource as one vantage sees it. null is "not reported", never zero. */
export interface ResourceState {
  readonly typeUrl: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly clientStatus: ClientStatus;
  readonly configStatus: ConfigStatus;
  /** When the reporter says it last changed; null for "never" (unset, zero and year 1 included). */
  readonly lastUpdated: EpochMs | null;
  readonly errorState: ErrorState | null;
  /** SHA-256 (hex) of the body's bytes as stored, after redaction; null when no body was reported. */
  readonly hash: string | null;
  readonly sizeBytes: number | null;
  readonly isStatic: boolean;
  /** Not there: nothing of the kind is known. */
  readonly ambientError?: AmbientError;
  /** It came in the v2 API (`envoy.api.v2.*`); not there: v3. */
  readonly apiVersion?: 'v2';
  /** Asked for by an alias, which is `name`: the name that the server gave it (xDS: Resource.aliases). */
  readonly canonicalName?: string;
  /** Of Envoy: it is not in use yet, or not for new connections. Not there: it is in use, or no source reported. */
  readonly stage?: Stage;
  /** Of a row that is about a whole type (its name is empty); not there: not reported. */
  readonly nonces?: Nonces;
  /** Of Envoy; not there: none. */
  readonly otherVersions?: readonly HeldVersion[];
  /** When xdscope saw this state first. */
  readonly changedAt: EpochMs;
}

export interface ResourceKey {
  readonly typeUrl: string;
  readonly name: string;
}

/** What became different in one report; what is not named stayed as it was. */
export interface ResourceChanges {
  readonly changed: readonly ResourceState[];
  readonly removed: readonly ResourceKey[];
}

interface Base {
  readonly at: EpochMs;
  readonly vantage: Vantage;
  /** Of vantage `dump`: the vantage in the recording that the file holds. Absent if the file is no recording. */
  readonly originalVantage?: Vantage;
  readonly sourceId: string;
  /**
   * What has more rows than one observation should hold is reported in parts, one after the other: the same in everything
   * but its lists. Not there: it is whole.
   */
  readonly part?: Part;
}

export interface Part {
  /** From 1 on. */
  readonly number: number;
  readonly of: number;
}

interface OfClient extends Base {
  /** clientIdOf(node id, scope). */
  readonly clientId: string;
}

/** Something that a source could not do, in words for a person. */
export interface Problem {
  /** Stable and short, as in "UNAVAILABLE" or "NOT_HTTP2". */
  readonly code: string;
  /** One sentence: what was expected, what came. */
  readonly message: string;
  /** What to try; empty when there is nothing to say. */
  readonly hint: string;
}

/** What the source is. Comes before its first observation, and again when it is declared differently. */
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
  /** gRFC A71: target URI or "#server"; empty where the client does not tell. */
  readonly scope: string;
  /**
   * When the source was asked before and reported none of this: it happened after that and before `at`. Not there: it was
   * not asked before, or did not answer for this client.
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

/** Of the probe, of a tap, of the LRS listener. `node` and `scope` make the client known. */
export interface StreamOpened extends OfClient {
  readonly kind: 'stream-opened';
  readonly streamId: string;
  readonly server: string;
  readonly method: string;
  readonly node: NodeInfo;
  readonly scope: string;
  /** The client starts with nothing cached, so what an earlier process of it held is no longer true. */
  readonly cacheEmpty?: boolean;
  /** The client's end of the connection, as the tap saw it: "127.0.0.1:43210". */
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
  /** Streams of the client that are open still (one for each server, or type); not there: none. */
  readonly othersOpen?: number;
}
/** A DiscoveryRequest that is neither ACK nor NACK: a subscription. New names become REQUESTED (in `changed`). */
export interface RequestSent extends OfClient, ResourceChanges {
  readonly kind: 'request-sent';
  readonly streamId: string;
  readonly typeUrl: string;
  readonly resourceNames: readonly string[];
  /** Delta: resource_names_unsubscribe. Not there: none. */
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
  /** Those whose bytes the client did not hold: a full answer of 30,000 with one change names one. */
  readonly resources: readonly ReceivedResource[];
  /** How many more came as the client holds them. */
  readonly unchangedResources?: number;
  /**
   * Every name in it, in order; reported where it cannot be concluded: state of the world that brings only some of what the
   * client holds of the type. Not there: all that it holds after it (state of the world), or those in `resources` (delta).
   */
  readonly names?: readonly string[];
  /** Delta: removed_resources. Not there: none. */
  readonly removedNames?: readonly string[];
  /** From the newest request of its type that nothing had answered yet; fractions count. Not there: it was a push. */
  readonly tookMs?: number;
  readonly controlPlane: string;
  readonly apiVersion?: 'v2';
  /**
   * So many responses of the type came since the last one that was reported, this one among them, and none of them
   * changed anything. Not there: 1.
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
   * As in RequestSent, where it asks for something else than the newest request of its type on the stream: it is a
   * subscription at the same time. Not there: state of the world: the same names again; delta: none.
   */
  readonly resourceNames?: readonly string[];
  /** Time to ACK: from the receipt of the response that it answers; fractions count. Not there: not known. */
  readonly tookMs?: number;
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
  /** error_detail.code, a gRPC status code. Not there: it was not recorded. */
  readonly errorCode?: number;
  /** As in AckSent. */
  readonly resourceNames?: readonly string[];
  readonly tookMs?: number;
}
/** The tap could not keep up with recording: these copies were dropped. The stream itself went on untouched. */
export interface CopiesDropped extends OfClient {
  readonly kind: 'copies-dropped';
  readonly streamId: string;
  readonly messages: number;
  readonly bytes: number;
  /** When the first of them passed; the last one passed at `at`. */
  readonly from: EpochMs;
  readonly reason: string;
}
/** A timer of resources ran out: they became DOES_NOT_EXIST (gRFC A88: TIMEOUT), or went. */
export interface TimerExpired extends OfClient, ResourceChanges {
  readonly kind: 'timer-expired';
  readonly streamId: string;
  /** `resource`, which is meant where it is not there: nothing was heard of them. `ttl`: nobody renewed them. */
  readonly timer?: 'resource' | 'ttl';
}
/** gRFC A71: an authority has its resources from another server now. */
export interface ServerSwitched extends OfClient {
  readonly kind: 'server-switched';
  /** null: that of old-style names, with the top-level servers. */
  readonly authority: string | null;
  readonly from: string;
  readonly to: string;
  /** `fallback`: to a less preferred server; `return`: back to a more preferred one. */
  readonly direction: 'fallback' | 'return';
  readonly reason: string;
  /** Of a client that has opened no stream yet: nothing else has reported who it is. */
  readonly node?: NodeInfo;
}
/** What the client holds changed, with nothing on the wire that says so. */
export interface CacheChanged extends OfClient, ResourceChanges {
  readonly kind: 'cache-changed';
  /** In words. */
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
  /** Deltas, and the gauge; gRPC sets none of them. Not there: 0, which is also what is read where they are not set. */
  readonly newConnections?: Uint64;
  readonly failedConnections?: Uint64;
  readonly activeConnections?: Uint64;
  /** gRFCs A64 and A85. Not there: none. */
  readonly metrics?: readonly LoadMetric[];
  /** Where the client was asked for endpoints, and reports them. Not there: none. */
  readonly endpoints?: readonly EndpointLoad[];
}
/** A custom metric that backends report with each request (ORCA): deltas, both. */
export interface LoadMetric {
  readonly name: string;
  readonly count: Uint64;
  /** Of the values; null: no finite number. */
  readonly sum: number | null;
}
/** As in LocalityLoad. */
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
  /** Reports of the stream before this one that are not in the log, but in the series of load alone. Not there: none. */
  readonly leftOut?: number;
}

/** The embedded lab did something: a background fault, a crash, a restart. */
export interface LabEvent extends Base {
  readonly kind: 'lab-event';
  /** Stable word, as in "client-crashed", "client-restarted", "backend-stopped", "bad-resource-pushed". */
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
  | LabEvent;

/** An observation with its place in the log. */
export type Recorded<T extends Observation = Observation> = T & { readonly seq: number };
