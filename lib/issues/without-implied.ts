import type { IssueAt } from './issue-at';
import type { IssuePeriod } from './issue-record';

/**
 * Leaves out what another issue of the same clients explains: a NACK of a whole type, as control planes and statistics report
 * it, if the rejected resource is known, and the missing answer to responses that were rejected.
 */
export function withoutImplied(found: readonly IssueAt[]): IssueAt[] {
  const named = new Map<string, IssuePeriod[]>();
  for (const { record, periods } of found) {
    const { kind, typeUrl, name } = record.cause;
    if (kind !== 'nack' || name === '') continue;
    for (const period of periods) {
      const key = `${period.clientId} ${typeUrl}`;
      const known = named.get(key);
      if (known === undefined) named.set(key, [period]);
      else known.push(period);
    }
  }
  return found.flatMap((issue) => {
    const { kind, typeUrl, name } = issue.record.cause;
    const mayBeImplied = kind === 'unanswered' || (kind === 'nack' && name === '');
    if (!mayBeImplied) return [issue];
    const periods = issue.periods.filter(
      (period) => !named.get(`${period.clientId} ${typeUrl}`)?.some((other) => overlap(period, other)),
    );
    return periods.length === 0 ? [] : [{ ...issue, periods }];
  });
}

function overlap(a: IssuePeriod, b: IssuePeriod): boolean {
  return a.from <= (b.to ?? Number.POSITIVE_INFINITY) && b.from <= (a.to ?? Number.POSITIVE_INFINITY);
}
