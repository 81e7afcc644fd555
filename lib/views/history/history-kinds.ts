/** The kinds of events. `gap`: observations that could not be recorded. */
export const historyKinds = [
  'stream-opened',
  'stream-closed',
  'request-sent',
  'response-received',
  'ack-sent',
  'nack-sent',
  'timer-expired',
  'cache-changed',
  'server-switched',
  'client-config-changed',
  'client-gone',
  'load-reported',
  'connections-changed',
  'rpcs-counted',
  'rpc-block-counted',
  'test-client-configured',
  'test-server-set',
  'interop-step',
  'copies-dropped',
  'source-declared',
  'source-up',
  'source-down',
  'lab-event',
] as const;

export type HistoryKind = (typeof historyKinds)[number];

/** Counts that sources report at an interval, which change nothing of the client. */
export const countingKinds: ReadonlySet<HistoryKind> = new Set(['load-reported', 'rpcs-counted']);
