import { group } from 'd3';
import { by } from '../collections/compare';
import type { IssueAt } from './issue-at';

/** One issue for each id, since sources of several kinds may report one cause of different clients. */
export function mergeIssues(found: readonly IssueAt[]): IssueAt[] {
  return [...group(found, ({ record }) => record.id).values()].flatMap((some) => {
    const open = some.filter(({ resolvedAt }) => resolvedAt === undefined);
    const shown = open.length > 0 ? open : some;
    const [first] = shown;
    if (first === undefined || shown.length === 1) return shown;
    // Of a client that several report, the earliest period counts.
    const periods = group(
      shown.flatMap((each) => each.periods).sort(by(({ from }) => from)),
      ({ clientId }) => clientId,
    );
    return [
      {
        record: first.record,
        since: Math.min(...shown.map(({ since }) => since)),
        resolvedAt: open.length > 0 ? undefined : Math.max(...shown.map(({ resolvedAt = 0 }) => resolvedAt)),
        periods: [...periods.values()].flatMap(([period]) => (period === undefined ? [] : [period])),
      },
    ];
  });
}
