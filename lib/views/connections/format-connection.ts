import type { Connection, ConnectionFigures } from '../../observation/connection';
import type { ConnectionFiguresAnswer, ConnectionRow } from './schema';

/** `all`: every connection that the counts are of. */
export function formatConnection(
  { state, since, isSinceFirstPoll, failingSince, lastError = '' }: Connection,
  all: readonly Connection[],
): ConnectionRow['connection'] & object {
  return {
    ...{ state, since, isSinceFirstPoll: isSinceFirstPoll === true },
    ...{ failingSince, lastError },
    figures: formatFigures(all),
  };
}

export function formatFigures(all: readonly Connection[]): ConnectionFiguresAnswer | undefined {
  const known = all.flatMap(({ figures }) => figures ?? []);
  if (known.length === 0) return undefined;
  const sum = (countOf: (figures: ConnectionFigures) => number): number =>
    known.reduce((total, each) => total + countOf(each), 0);
  const isKnown = (key: 'openStreams' | 'callsPerSecond'): boolean =>
    known.every((each) => each[key] !== null);
  const newest = Math.max(...known.map(({ lastCallStartedAt }) => lastCallStartedAt ?? 0));
  return {
    callsStarted: sum(({ callsStarted }) => callsStarted),
    callsSucceeded: sum(({ callsSucceeded }) => callsSucceeded),
    callsFailed: sum(({ callsFailed }) => callsFailed),
    lastCallStartedAt: newest === 0 ? null : newest,
    openStreams: isKnown('openStreams') ? sum(({ openStreams }) => openStreams ?? 0) : null,
    callsPerSecond: isKnown('callsPerSecond') ? sum(({ callsPerSecond }) => callsPerSecond ?? 0) : null,
    // Listeners are not added up, and each row of an Envoy has one host.
    openConnections: known[0]?.openConnections,
    ofHost: known[0]?.ofHost,
  };
}
