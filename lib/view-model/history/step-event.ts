import type { HistoryMarks } from '../../api/history';
import { historyKinds } from '../../api/history-kinds';

const nack = historyKinds.indexOf('nack-sent');

/** Place of the mark with that seq; -1 when it is not among them. */
export function findMark({ seq }: HistoryMarks, wanted: number): number {
  return seq.indexOf(wanted);
}

/**
 * The next mark in time, or the one before (`step` -1), from a place (-1: from the end that the step leads away
 * from). undefined: there is none.
 */
export function stepMark({ seq }: HistoryMarks, from: number, step: 1 | -1): number | undefined {
  const next = from === -1 ? (step === 1 ? 0 : seq.length - 1) : from + step;
  return next >= 0 && next < seq.length ? next : undefined;
}

/** As stepMark, to a NACK. */
export function stepToNack(marks: HistoryMarks, from: number, step: 1 | -1): number | undefined {
  for (let at = stepMark(marks, from, step); at !== undefined; at = stepMark(marks, at, step)) {
    if (marks.kinds[at] === nack) return at;
  }
  return undefined;
}
