import type { State } from '../../xds/status';
import type { ConvergencePush, SpreadReported } from './schema';

type Counts = Pick<SpreadReported, 'total' | 'accepted' | 'counts'>;

/** Clients that have neither accepted nor NACKed the push: `waiting` for an answer, or stuck. */
export function countUnsettled({ counts }: Pick<SpreadReported, 'counts'>): number {
  return counts.behind + counts.silent + counts.unclear + counts.missing;
}

/** The worst that a client did with the push. A NACK stays, whatever the client accepts later. */
export function stateOfPush(spread: Counts): State {
  const { counts, accepted } = spread;
  if (counts.rejected > 0) return 'NACKED';
  if (counts.missing > 0) return 'DOES_NOT_EXIST';
  if (counts.silent > 0) return 'TIMEOUT';
  if (counts.unclear > 0) return 'UNKNOWN';
  if (counts.behind > 0) return 'NO_ANSWER';
  return accepted > 0 ? 'ACKED' : 'UNKNOWN';
}

/** A mark beside the version; empty for a push with new content. */
export function describePushKind({ kind, revertsTo }: Pick<ConvergencePush, 'kind' | 'revertsTo'>): string {
  if (kind === 'redundant') return 'redundant';
  if (kind === 'revert')
    return revertsTo === undefined || revertsTo === '' ? 'revert' : `revert to ${revertsTo}`;
  return '';
}
