import type { IssueAt } from './issue-at';
import type { ClientIssueKind, IssuePeriod } from './issue-record';

/** An issue that a source reports of a resource explains issues of these kinds about the same resource. */
const ofConfig: ReadonlySet<ClientIssueKind> = new Set(['tear', 'finding', 'unserved']);

/**
 * Leaves out what another issue of the same clients explains: a NACK of a whole type, as control planes and statistics report
 * it, if the rejected resource is known; the missing answer to responses that were rejected; the missing response of a
 * management server that is unreachable; and a config tear or a finding about a resource that is rejected or missing.
 */
export function removeExplained(found: readonly IssueAt[]): IssueAt[] {
  const nacked = new Map<string, IssuePeriod[]>();
  const reported = new Map<string, IssuePeriod[]>();
  const unreachable = new Map<string, IssuePeriod[]>();
  for (const { record, periods } of found) {
    const { kind, typeUrl, name } = record.cause;
    if (ofConfig.has(kind) || kind === 'notice' || kind === 'certificate') continue;
    for (const period of periods) {
      if (kind === 'unreachable') add(unreachable, period.clientId, period);
      if (kind === 'nack' && name !== '') add(nacked, `${period.clientId} ${typeUrl}`, period);
      add(reported, `${period.clientId} ${typeUrl} ${name}`, period);
    }
  }
  return found.flatMap((issue) => {
    const { kind, explainedBy } = issue.record.cause;
    const { typeUrl, name } = explainedBy ?? issue.record.cause;
    const isOfType = kind === 'unanswered' || (kind === 'nack' && name === '');
    if (!isOfType && !ofConfig.has(kind) && kind !== 'unreached') return [issue];
    const othersOf = (clientId: string): readonly IssuePeriod[] => {
      if (kind === 'unreached') return unreachable.get(clientId) ?? [];
      if (isOfType) return nacked.get(`${clientId} ${typeUrl}`) ?? [];
      return explaining(kind, name).flatMap((each) => reported.get(`${clientId} ${typeUrl} ${each}`) ?? []);
    };
    const periods = issue.periods.filter(
      (period) => !othersOf(period.clientId).some((other) => overlap(period, other)),
    );
    return periods.length === 0 ? [] : [{ ...issue, periods }];
  });
}

/** What a whole response does to requests is not known, so that it does not explain what serves nothing. */
function explaining(kind: ClientIssueKind, name: string): readonly string[] {
  return kind === 'unserved' ? [name] : ['', name];
}

function add(map: Map<string, IssuePeriod[]>, key: string, period: IssuePeriod): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [period]);
  else known.push(period);
}

function overlap(a: IssuePeriod, b: IssuePeriod): boolean {
  return a.from <= (b.to ?? Number.POSITIVE_INFINITY) && b.from <= (a.to ?? Number.POSITIVE_INFINITY);
}
