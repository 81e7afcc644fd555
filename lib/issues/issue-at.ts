import { by } from '../collections/compare';
import type { EpochMs } from '../xds/units';
import type { ClientIssueKind, IssuePeriod, IssueRecord } from './issue-record';

/** An issue at a moment: open, or the last time that it was. */
export interface IssueAt {
  readonly record: Pick<IssueRecord, 'id' | 'cause'>;
  /**
   * The earliest time at which one of the clients that have it, or of those whose periods overlap with theirs, had
   * it.
   */
  readonly since: EpochMs;
  /** The time at which it ended for the last client; undefined: it is open at the moment. */
  readonly resolvedAt: EpochMs | undefined;
  /** Periods of clients that have it at the moment, or that had it last; the oldest is first. */
  readonly periods: readonly IssuePeriod[];
}

/**
 * The duration up to which it is not an issue. A source misses a poll while a machine is busy, a control plane waits for
 * an answer for some seconds after every push, a client that starts for its first response, and resources that belong
 * together arrive one after the other.
 */
export const patienceMs = 15_000;
const takesTime: ReadonlySet<ClientIssueKind> = new Set([
  ...(['unanswered', 'unreached', 'unreachable', 'tear', 'unserved'] as const),
]);

/**
 * Returns true if the period counts as an issue. One that has not ended lasts at the moment `at`. A document is judged at its own
 * time, whenever that was.
 */
export function isLongEnough(
  { cause: { kind } }: Pick<IssueRecord, 'cause'>,
  { from, to, isOfDocument }: Pick<IssuePeriod, 'from' | 'to' | 'isOfDocument'>,
  at: EpochMs,
): boolean {
  return !takesTime.has(kind) || isOfDocument === true || (to ?? at) - from >= patienceMs;
}

/** Returns undefined if no client had the issue until then, or none had it long enough to count. */
export function findIssueAt(record: IssueRecord, at: EpochMs): IssueAt | undefined {
  const periods = [...record.ended, ...record.open.values()]
    .filter(({ from }) => from <= at)
    .map((period) =>
      period.to !== undefined && period.to > at ? { ...period, to: undefined, end: undefined } : period,
    )
    .sort(by(({ from }) => from));
  const last = findLastRun(periods);
  const [first] = last;
  if (first === undefined) return undefined;
  if (!last.some((period) => isLongEnough(record, period, at))) return undefined;
  const open = last.filter(({ to }) => to === undefined);
  const since = first.from;
  const resolvedAt = open.length > 0 ? undefined : Math.max(...last.map(({ to }) => to ?? 0));
  return { record, since, resolvedAt, periods: open.length > 0 ? open : last };
}

/** The periods of one outage: those whose times overlap, directly or by others. */
function findLastRun(periods: readonly IssuePeriod[]): readonly IssuePeriod[] {
  let run: IssuePeriod[] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const period of periods) {
    if (period.from > until) run = [];
    run.push(period);
    until = Math.max(until, period.to ?? Number.POSITIVE_INFINITY);
  }
  return run;
}
