import { isAckOfRejected } from '../observation/effect-stage';
import type { Recorded } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import { isPolledVantage } from '../observation/vantage';
import type { EpochMs } from '../xds/units';
import type { ClientRejection, ReportedBy } from './nack-group';
import type { Rejection } from './read-rejections';

/** Returns true if a poll reports a known NACK again. Streams report each NACK once. */
export function isReportedAgain(rejection: Rejection, { reportedBy, ended, gone }: ClientRejection): boolean {
  const reported = reportedBy.get(rejection.sourceId);
  if (reported === undefined || !isPolledVantage(rejection.vantage)) return false;
  // A client that came back may report an old NACK.
  const isKnown =
    gone === undefined &&
    (ended === undefined || (ended.by.kind === 'accepted' && rejection.attemptAt !== null));
  return isKnown && isSameAttempt(rejection, reported);
}

/** A client that reports the time of the rejection may report another accepted version beside it. */
function isSameAttempt(one: Pick<ReportedBy, 'attemptAt' | 'versionInfo'>, other: typeof one): boolean {
  return (
    one.attemptAt === other.attemptAt && (one.attemptAt !== null || one.versionInfo === other.versionInfo)
  );
}

/** Streams report the moment of each NACK. The row of a resource that is rejected again has the time of the first one. */
export function timeOf({ at, attemptAt, vantage }: Rejection): EpochMs {
  return isPolledVantage(vantage) ? (attemptAt ?? at) : at;
}

export function newRejection(rejection: Rejection, at: number): ClientRejection {
  return {
    clientId: rejection.clientId,
    firstAt: at,
    lastAt: at,
    seq: rejection.seq,
    versionInfo: rejection.versionInfo,
    failed: null,
    good: rejection.good,
    reportedBy: new Map<string, ReportedBy>(),
    accepted: null,
    ended: undefined,
    gone: undefined,
  };
}

/** Prefers the body of a stream, which is the rejected one, to that of a poll. */
export function failedOf(
  { failedHash: hash, vantage }: Rejection,
  { failed }: ClientRejection,
): ClientRejection['failed'] {
  if (hash === null) return failed;
  return isPolledVantage(vantage) && failed !== null && !isPolledVantage(failed.vantage)
    ? failed
    : { hash, vantage };
}

/** Keeps the hash of the accepted body if a client reports its version without a body. */
export function goodOf(
  { good: reported }: Rejection,
  { good: known }: ClientRejection,
): ClientRejection['good'] {
  if (reported === undefined) return known;
  return reported.hash === null && reported.versionInfo === known?.versionInfo ? known : reported;
}

export function addReport({ reportedBy }: ClientRejection, rejection: Rejection): void {
  const { sourceId, vantage, side, versionInfo, attemptAt, times, seq } = rejection;
  const reported = reportedBy.get(sourceId);
  if (reported === undefined) {
    reportedBy.set(sourceId, { sourceId, vantage, side, versionInfo, attemptAt, times, seq });
    return;
  }
  if (!isPolledVantage(vantage) || !isSameAttempt(rejection, reported)) reported.times += times;
  reported.seq = seq;
  reported.versionInfo = versionInfo;
  reported.attemptAt = attemptAt;
}

/**
 * Returns true if an accepted row resolves the NACK. An ACK of the rejected payload resolves nothing: Envoy skips a
 * cluster that it has rejected before, unless it is another process by now. A poll that reports the payload as
 * accepted, and not as one that warms, proves that it is in effect.
 */
export function resolves(
  row: ResourceState,
  { good, seq, reportedBy, gone }: ClientRejection,
  { vantage, sourceId }: Recorded,
): boolean {
  if (!isPolledVantage(vantage)) return gone !== undefined || !isAckOfRejected(row);
  const { hash, lastUpdated, stage } = row;
  if (stage === 'warming') return false;
  // After a roll-back Envoy reports the time at which the body was first accepted.
  const isOwn = reportedBy.get(sourceId)?.seq === seq;
  if (isOwn) return true;
  // Envoy reports no time for endpoints, whose content in a dump is not what was sent.
  if (lastUpdated === null) return stage === undefined;
  // The time is by the clock of the client, which may be set wrong: the content shows what came later.
  return good === undefined || (good.hash !== null && hash !== good.hash);
}
