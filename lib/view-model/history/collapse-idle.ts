import type { EpochMs } from '../../xds/units';

/** A stretch in which nothing happened. */
export interface IdleStretch {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface IdleOptions {
  /** The whole axis. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** At most so many; the longest ones. */
  readonly most: number;
}

/** A shorter pause is nothing to take out. */
const leastIdleMs = 10_000;
const leastMarginMs = 20;
/** Of the whole axis: what is shorter takes little room as it is. */
const leastShare = 1 / 30;
/** Room that stays at either side, so that marks do not stick to the break: of what is not idle, and of the break. */
const marginShare = 0.02;

/**
 * Which stretches between events are long enough to be taken out of the axis, in order. `instants`: sorted. The axis
 * before its first event and after its last one counts as well: a day in which only the last minute spoke is a minute.
 */
export function findIdle(instants: ArrayLike<EpochMs>, { from, to, most }: IdleOptions): IdleStretch[] {
  const leastMs = Math.max(leastIdleMs, (to - from) * leastShare);
  const found: IdleStretch[] = [];
  const look = (start: EpochMs, end: EpochMs) => {
    if (end - start >= leastMs) found.push({ from: start, to: end });
  };
  let before = from;
  for (let index = 0; index < instants.length; index++) {
    const at = instants[index] ?? from;
    if (at <= from || at >= to) continue;
    look(before, at);
    before = at;
  }
  look(before, to);
  const chosen = found.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, Math.max(0, most));
  const activeMs = chosen.reduce((left, stretch) => left - lengthOf(stretch), to - from);
  return chosen
    .sort((a, b) => a.from - b.from)
    .map((stretch) => {
      const marginMs = Math.max(leastMarginMs, Math.min(activeMs, lengthOf(stretch)) * marginShare);
      return { from: stretch.from + marginMs, to: stretch.to - marginMs };
    });
}

function lengthOf({ from, to }: IdleStretch): number {
  return to - from;
}
