import type { EpochMs } from '../xds/units';
import type { Locality } from './locality';

/** The states of gRPC's connectivity semantics. UNKNOWN: not reported. */
export const connectivityStates = [
  'READY',
  'IDLE',
  'CONNECTING',
  'TRANSIENT_FAILURE',
  'SHUTDOWN',
  'UNKNOWN',
] as const;
export type ConnectivityState = (typeof connectivityStates)[number];

/**
 * The states of a host of Envoy, which results from its health flags and its health in EDS. CONNECT_FAILURE is none of
 * Envoy's: attempts to connect have failed, and no request was sent to the host since. A READY subchannel of gRPC-Go is EJECTED
 * while outlier detection excludes its endpoint.
 */
export const hostStates = [
  'HEALTHY',
  'DEGRADED',
  'DRAINING',
  'CONNECT_FAILURE',
  'UNHEALTHY',
  'EJECTED',
] as const;
export type HostState = (typeof hostStates)[number];

export const reportedStates = [...connectivityStates, ...hostStates] as const;
export type ReportedState = (typeof reportedStates)[number];

/** `listener`: a socket on which a server listens. `host`: an endpoint of a cluster, as Envoy reports it. */
export const connectionKinds = ['channel', 'subchannel', 'listener', 'host'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

/** A channel, a subchannel, a listening socket or a host of a client's process, as the process itself reports it. */
export interface Connection {
  /** Unique among those of one source, as in "subchannel 9". */
  readonly id: string;
  readonly kind: ConnectionKind;
  /** The target of a channel, as in "xds:///shop"; else an address, as in "10.0.0.1:8080". Empty if not reported. */
  readonly target: string;
  /** The ids of the channels that use a subchannel. Empty for others. */
  readonly channels: readonly string[];
  /**
   * A subchannel that connects again after a failure stays in TRANSIENT_FAILURE until it is READY or IDLE, as it does for LB
   * policies (gRFC A62).
   */
  readonly state: ReportedState;
  /** When the state began. */
  readonly since: EpochMs;
  /** Set if `since` is only the time of the first poll that reported the state: it began before. */
  readonly isSinceFirstPoll?: true;
  /** Since when attempts to connect have failed, or the endpoint is excluded. Absent: it is READY, or no attempt has failed. */
  readonly failingSince?: EpochMs;
  /**
   * Of the last attempt that failed, or why the host or endpoint is excluded. Absent if neither is the case, or if the process reports
   * no errors.
   */
  readonly lastError?: string;
  /** The name of a listener of Envoy. */
  readonly name?: string;
  /** The cluster and locality of a subchannel or host. Absent if the process does not report them. */
  readonly cluster?: string;
  readonly locality?: Locality;
  /** The own address of each open connection of a channel that is not of xDS. Absent: none, or not reported. */
  readonly localAddresses?: readonly string[];
  /** When the observation was made. Counts that change are no observation. */
  readonly figures?: ConnectionFigures;
}

/** Counts since the channel, subchannel, listener or host was created: requests of a host. null: not reported. */
export interface ConnectionFigures {
  readonly callsStarted: number;
  readonly callsSucceeded: number;
  readonly callsFailed: number;
  readonly lastCallStartedAt: EpochMs | null;
  /** Streams that are open; of a subchannel counted every five polls. */
  readonly openStreams: number | null;
  /** Calls started per second over the last seconds; null until two polls have counted them. */
  readonly callsPerSecond: number | null;
  /** Of a listener: open connections of clients, counted up to 100. Absent: not reported. */
  readonly openConnections?: number;
  /** Of a host. */
  readonly ofHost?: HostFigures;
}

/** null: not reported. */
export interface HostFigures {
  /** Connections that are open now, or about to be. */
  readonly openConnections: number | null;
  readonly connections: number | null;
  readonly failedConnections: number | null;
  readonly timeouts: number | null;
  /** Per cent, as outlier detection computed it last; it needs enough requests. */
  readonly successRate: number | null;
}

/** The channels, subchannels and listeners that changed. Counts alone are no change. */
export interface ConnectionChanges {
  readonly connections: readonly Connection[];
  readonly endedIds: readonly string[];
  /** These are all that there are: earlier ones that are not among them have ended. */
  readonly isComplete?: true;
}

/** The connections after the changes, in the order in which they were first reported. */
export function applyConnectionChanges(
  known: readonly Connection[],
  { connections, endedIds, isComplete }: ConnectionChanges,
): readonly Connection[] {
  const earlier = new Map(known.map((each) => [each.id, each]));
  const next = isComplete === true ? new Map<string, Connection>() : new Map(earlier);
  for (const id of endedIds) next.delete(id);
  for (const each of connections) next.set(each.id, keepBegin(each, earlier.get(each.id)));
  return [...next.values()];
}

/** A poller that was restarted does not know when a state began, which the log does. */
function keepBegin(now: Connection, before: Connection | undefined): Connection {
  if (before === undefined || before.state !== now.state || before.target !== now.target) return now;
  if (now.isSinceFirstPoll !== true) return now;
  const { isSinceFirstPoll: _, ...rest } = now;
  const failingSince = before.failingSince ?? now.failingSince;
  return {
    ...rest,
    since: before.since,
    ...(before.isSinceFirstPoll === true && { isSinceFirstPoll: true as const }),
    ...(failingSince !== undefined && now.failingSince !== undefined && { failingSince }),
  };
}
