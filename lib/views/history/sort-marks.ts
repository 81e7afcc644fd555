import type { HistoryMarks } from './schema';

type Columns = Pick<HistoryMarks, 'seq' | 'at' | 'kinds' | 'lane' | 'tookMs' | 'pair'>;

/**
 * Sorts marks by time, then by the order of the log, which differs from that of time by some milliseconds if several
 * sources observe at once. Returns the same marks if they are sorted already, as most are.
 */
export function sortMarks<Marks extends Columns>(marks: Marks): Marks {
  const { at, seq } = marks;
  const isBefore = (a: number, b: number) => (at[a] ?? 0) - (at[b] ?? 0) || (seq[a] ?? 0) - (seq[b] ?? 0);
  const places = Array.from(at.keys());
  if (places.every((place) => place === 0 || isBefore(place - 1, place) < 0)) return marks;
  places.sort(isBefore);
  const pick = (column: readonly number[]) => places.map((place) => column[place] ?? -1);
  return {
    ...marks,
    seq: pick(seq),
    at: pick(at),
    kinds: pick(marks.kinds),
    lane: pick(marks.lane),
    tookMs: pick(marks.tookMs),
    pair: pick(marks.pair),
  };
}
