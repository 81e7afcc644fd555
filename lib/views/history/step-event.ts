import { historyKinds } from './history-kinds';
import type { HistoryMarks } from './schema';

const nack = historyKinds.indexOf('nack-sent');

/** Returns the index of the mark with a seq, or -1. */
export function findMark({ seq }: HistoryMarks, wanted: number): number {
  return seq.indexOf(wanted);
}

/**
 * Returns the index of the next mark in time, or of the previous one (`step` -1). `from` is an index, or -1 for the end
 * from which the step leads away. Returns undefined if there is none.
 */
export function stepMark({ seq }: HistoryMarks, from: number, step: 1 | -1): number | undefined {
  const next = from === -1 ? (step === 1 ? 0 : seq.length - 1) : from + step;
  return next >= 0 && next < seq.length ? next : undefined;
}

export function stepToNack(marks: HistoryMarks, from: number, step: 1 | -1): number | undefined {
  for (let at = stepMark(marks, from, step); at !== undefined; at = stepMark(marks, at, step)) {
    if (marks.kinds[at] === nack) return at;
  }
  return undefined;
}
