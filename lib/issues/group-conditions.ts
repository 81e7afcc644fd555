import type { EpochMs } from '../xds/units';
import { findIssueAt, type IssueAt } from './issue-at';
import type { IssueCause, IssuePeriod, IssueRecord } from './issue-record';
import { issueKey } from './read-issue-causes';

/** One issue for each cause, over the clients that have it at a moment or had it last. */
export function groupConditions(
  conditions: Iterable<{ readonly cause: IssueCause; readonly period: IssuePeriod }>,
  { at, idOf }: { readonly at: EpochMs; readonly idOf: (key: string) => string },
): IssueAt[] {
  const records = new Map<string, IssueRecord>();
  for (const { cause, period } of conditions) {
    const id = idOf(issueKey(cause));
    const record: IssueRecord = records.get(id) ?? { id, cause, open: new Map(), ended: [] };
    records.set(id, record);
    if (period.to === undefined) record.open.set(period.clientId, period);
    else record.ended.push(period);
  }
  return [...records.values()].flatMap((record) => findIssueAt(record, at) ?? []);
}
