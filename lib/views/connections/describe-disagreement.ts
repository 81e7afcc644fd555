import { formatDuration } from '../../format/duration';
import type { EpochMs } from '../../xds/units';
import type { ConnectionRow } from './schema';

/** "EDS HEALTHY, TRANSIENT_FAILURE for 3 min: connection refused". Empty if config and connections agree. */
export function describeDisagreement(
  { health, connection, disagreement }: Pick<ConnectionRow, 'health' | 'connection' | 'disagreement'>,
  now: EpochMs,
): string {
  if (disagreement === undefined || connection === undefined) return '';
  const since = connection.failingSince ?? connection.since;
  // The first report of a state does not show how long it lasts.
  const isFirstReport = connection.isSinceFirstPoll && since === now;
  const lasted = isFirstReport ? '' : ` for ${formatDuration(Math.max(0, now - since))}`;
  const reported = health === 'UNKNOWN' ? 'EDS reports no health' : `EDS ${health}`;
  const cause = disagreement === 'unhealthy' ? '' : causeOf(connection);
  return `${reported}, ${connection.state}${lasted}${cause === '' ? '' : `: ${cause}`}`;
}

/** Envoy, gRPC-Java and Node report no errors of connections. */
function causeOf({
  state,
  lastError,
}: Pick<ConnectionRow['connection'] & object, 'state' | 'lastError'>): string {
  if (lastError !== '') return shortError(lastError);
  return state === 'EJECTED' || state === 'UNHEALTHY' ? '' : 'error not reported';
}

/** The part of an error that states the cause, as in "connection refused"; the whole text if it has none of these. */
export function shortError(text: string): string {
  const [known] =
    /connection refused|connection reset(?: by peer)?|no route to host|network is unreachable|i\/o timeout|deadline exceeded|connection timed out|certificate[^:,"]*|no such host/i.exec(
      text,
    ) ?? [];
  return known?.toLowerCase() ?? text;
}
