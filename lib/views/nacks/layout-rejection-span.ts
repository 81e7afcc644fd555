import type { NackClient } from './schema';

/** The time of one client's NACKs on the axis of a group, in CSS pixels from its left end. */
export interface RejectionSpan {
  readonly clientId: string;
  readonly fromPx: number;
  /** The end, or now if the NACK is open and the client has not terminated. */
  readonly toPx: number;
  readonly lastPx: number;
  readonly state: NackClient['state'];
  readonly isTerminated: boolean;
}

/** The minimum width. */
const leastPx = 4;

/** Places the clients on one axis, from the first NACK to the last event, or `now` if a NACK is open. */
export function layoutRejectionSpans(
  clients: readonly Pick<NackClient, 'clientId' | 'firstAt' | 'lastAt' | 'state' | 'ended' | 'gone'>[],
  now: number,
  widthPx: number,
): RejectionSpan[] {
  const times = clients.map(({ clientId, firstAt, lastAt, state, ended, gone }) => ({
    clientId,
    state,
    isTerminated: ended === undefined && gone !== undefined,
    from: firstAt,
    last: lastAt,
    to: ended === undefined && gone === undefined ? null : ((ended ?? gone)?.at ?? lastAt),
  }));
  const start = Math.min(...times.map(({ from }) => from));
  const end = Math.max(...times.map(({ from, to, last }) => Math.max(from, last, to ?? now)), start + 1);
  const scale = (at: number): number => ((at - start) / (end - start)) * (widthPx - leastPx);
  return times.map(({ clientId, state, isTerminated, from, last, to }) => ({
    clientId,
    state,
    isTerminated,
    fromPx: scale(from),
    // The clocks of clients may differ from ours.
    toPx: Math.max(scale(Math.max(to ?? now, from)), scale(from)) + leastPx,
    lastPx: scale(Math.max(last, from)) + leastPx / 2,
  }));
}
