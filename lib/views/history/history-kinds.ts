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
  'copies-dropped',
  'source-declared',
  'source-up',
  'source-down',
  'lab-event',
] as const;

export type HistoryKind = (typeof historyKinds)[number];
