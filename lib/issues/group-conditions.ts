import type { EpochMs } from '../xds/units';
import { findIssueAt, type IssueAt } from './issue-at';
import type { IssueCause, IssuePeriod, IssueRecord } from './issue-record';
import { issueKey } from './read-issue-causes';

type Conditions<Cause> = Iterable<{ readonly cause: Cause; readonly period: IssuePeriod }>;

/** One issue for each cause, over the clients that have it at a moment or had it last. */
export function groupConditions(
  conditions: Conditions<IssueCause>,
  { at, idOf }: { readonly at: EpochMs; readonly idOf: (key: string) => string },
): IssueAt[] {
  return recordConditions(conditions, idOf).flatMap((record) => findIssueAt(record, at) ?? []);
}

export function recordConditions<Cause extends IssueCause>(
  conditions: Conditions<Cause>,
  idOf: (key: string) => string,
): IssueRecord<Cause>[] {
  const records = new Map<string, IssueRecord<Cause>>();
  for (const { cause, period } of conditions) {
    const id = idOf(issueKey(cause));
    const record: IssueRecord<Cause> = records.get(id) ?? { id, cause, open: new Map(), ended: [] };
    records.set(id, record);
    if (period.to === undefined) record.open.set(period.clientId, period);
    else record.ended.push(period);
  }
  return [...records.values()];
}
