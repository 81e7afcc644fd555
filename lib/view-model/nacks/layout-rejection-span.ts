import type { NackClient } from '../../api/nacks';

/** One client's time in a group, on the group's axis. In CSS pixels from its left end. */
export interface Rejectionspan {
  readonly clientId: string;
  readonly fromPx: number;
  /** Where it ended, or now. */
  readonly toPx: number;
  /** The newest NACK. */
  readonly lastPx: number;
  readonly isOpen: boolean;
}

/** A moment is something to be seen, too. */
const leastPx = 4;

/** All clients' spans on one axis, from the first NACK to the last thing that happened (`now`, where one is open). */
export function layoutRejectionspans(
  clients: readonly Pick<NackClient, 'clientId' | 'firstAt' | 'lastAt' | 'ended'>[],
  now: number,
  widthPx: number,
): Rejectionspan[] {
  const times = clients.map(({ clientId, firstAt, lastAt, ended }) => ({
    clientId,
    from: Date.parse(firstAt),
    last: Date.parse(lastAt),
    to: ended === null ? null : Date.parse(ended.at),
  }));
  const start = Math.min(...times.map(({ from }) => from));
  const end = Math.max(...times.map(({ from, to, last }) => Math.max(from, last, to ?? now)), start + 1);
  const scale = (at: number): number => ((at - start) / (end - start)) * (widthPx - leastPx);
  return times.map(({ clientId, from, last, to }) => ({
    clientId,
    fromPx: scale(from),
    // Clocks of clients differ from ours.
    toPx: Math.max(scale(Math.max(to ?? now, from)), scale(from)) + leastPx,
    lastPx: scale(Math.max(last, from)) + leastPx / 2,
    isOpen: to === null,
  }));
}
