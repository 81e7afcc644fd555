import * as z from 'zod';
import { connectionKinds, reportedStates } from './connection-states';
import { count, epochMs, locality, texts } from './field-schemas';

const ratio = z.number().nonnegative().finite();

/** null: not reported. */
const hostFigures = z.object({
  /** Connections that are open now, or about to be. */
  openConnections: count.nullable(),
  connections: count.nullable(),
  failedConnections: count.nullable(),
  timeouts: count.nullable(),
  /** The percentage that outlier detection computed last; it needs enough requests. */
  successRate: ratio.nullable(),
});

/** Counts since the channel, subchannel, listener or host was created: requests of a host. null: not reported. */
export const connectionFigures = z.object({
  callsStarted: count,
  callsSucceeded: count,
  callsFailed: count,
  lastCallStartedAt: epochMs.nullable(),
  /** Streams that are open; of a subchannel counted every five polls. */
  openStreams: count.nullable(),
  /** Calls started per second over the last seconds; null until two polls have counted them. */
  callsPerSecond: ratio.nullable(),
  /** Open connections of clients to a listener, counted up to 100. Absent: not reported. */
  openConnections: count.optional(),
  ofHost: hostFigures.optional(),
});

/** A channel, a subchannel, a listening socket or a host of a client's process, as the process itself reports it. */
export const connection = z.object({
  /** Unique among those of one source, as in "subchannel 9". */
  id: z.string(),
  kind: z.enum(connectionKinds),
  /** The target of a channel, as in "xds:///shop"; else an address, as in "10.0.0.1:8080". Empty if not reported. */
  target: z.string(),
  /** The ids of the channels that use a subchannel. Empty for others. */
  channels: texts,
  /**
   * A subchannel that connects again after a failure stays in TRANSIENT_FAILURE until it is READY or IDLE, as it does for LB
   * policies (gRFC A62).
   */
  state: z.enum(reportedStates),
  /** The time at which the state began. */
  since: epochMs,
  /** Set if `since` is only the time of the first poll that reported the state: it began before. */
  isSinceFirstPoll: z.literal(true).optional(),
  /**
   * The time since which attempts to connect have failed, or the endpoint is excluded. Absent: it is READY, or no
   * attempt has failed.
   */
  failingSince: epochMs.optional(),
  /**
   * The error of the last attempt that failed, or why the host or endpoint is excluded. Absent if neither is the
   * case, or if the process reports no errors.
   */
  lastError: z.string().optional(),
  /** Set if the channel is known to lead to a management server of the client. */
  isManagementServer: z.literal(true).optional(),
  /** Set for a channel that fails and may lead to a management server: the process has several, and it is not known which does. */
  mayBeManagementServer: z.literal(true).optional(),
  /** The name of a listener of Envoy. */
  name: z.string().optional(),
  /** The cluster and locality of a subchannel or host. Absent if the process does not report them. */
  cluster: z.string().optional(),
  locality: locality.optional(),
  /** The own address of each open connection of a channel that is not of xDS. Absent: none, or not reported. */
  localAddresses: texts.optional(),
  /** The counts at the time of the observation. Changed counts are not an observation. */
  figures: connectionFigures.optional(),
});
