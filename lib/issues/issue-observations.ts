import type { Recorded } from '../observation/observation';

/** Observations of these kinds begin or end issues. */
export const issueObservationKinds = [
  'nack-sent',
  'client-config-changed',
  'ack-sent',
  'request-sent',
  'timer-expired',
  'cache-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
  'connections-changed',
] as const satisfies readonly Recorded['kind'][];

/** An observation whose JSON has none of these texts begins no issue. */
const signs = [
  '"NACKED"',
  '"DOES_NOT_EXIST"',
  '"TIMEOUT"',
  '"RECEIVED_ERROR"',
  '"ERROR"',
  '"STALE"',
  '"clientStatus":"UNKNOWN"',
  '"clientStatus":"REQUESTED"',
  '"isManagementServer":true',
  '"mayBeManagementServer":true',
];

export function mayBeginIssue(json: string): boolean {
  return signs.some((sign) => json.includes(sign));
}
