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
 * The states of a host of Envoy, which result from its health flags and its health in EDS. CONNECT_FAILURE is not a
 * state of Envoy: attempts to connect have failed, and no request was sent to the host since. A READY subchannel of
 * gRPC-Go is EJECTED while outlier detection excludes its endpoint.
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
