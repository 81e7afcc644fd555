import type { ImpactLevel } from '../../issues/client-impact';
import { severities } from '../../issues/describe-impact';
import type { IssueAt } from '../../issues/issue-at';
import { isOfServer } from '../../issues/server-impact';
import { findListenerOfTarget, noTemplates } from '../../xds/listener-name';
import { CDS, EDS, LDS } from '../../xds/resource-type';
import type { Issue, MutableIssue } from './schema';

interface Assessed {
  readonly found: IssueAt;
  readonly level: ImpactLevel;
}

/**
 * Finds the issue of clients that explains failed requests: it is about their cluster or the listener of their target, or nothing of
 * the management server is in effect. Requests that fail for each client that has the issue are a measure of it, and no issue of their own.
 */
export function findExplanation(errors: MutableIssue, all: readonly Assessed[]): string | undefined {
  const explaining = all.find(({ found, level }) => {
    if (!mayExplain(found, errors)) return false;
    return level === 'all-fail' || (level === 'some-fail' && !isOfServer(found.record.cause));
  });
  return explaining?.found.record.id;
}

/** True if it depends on the impact alone whether the issue explains the failed requests. */
export function mayExplain(
  { record: { cause }, periods, resolvedAt }: IssueAt,
  { issue: errors, target }: MutableIssue,
): boolean {
  if (errors.kind !== 'load-errors' || errors.clients.items.length === 0) return false;
  const isOfCluster =
    (cause.typeUrl === CDS.typeUrl || cause.typeUrl === EDS.typeUrl) && cause.name === errors.resource?.name;
  const isOfTarget =
    cause.typeUrl === LDS.typeUrl && target !== undefined && cause.name === defaultListenerOf(target);
  if (!isOfCluster && !isOfTarget && !isOfServer(cause)) return false;
  if ((resolvedAt === undefined) !== (errors.resolvedAt === undefined)) return false;
  const clients = new Set(periods.map(({ clientId }) => clientId));
  return errors.clients.items.every(({ clientId }) => clients.has(clientId));
}

/** The listener of a target without a template in the bootstrap, which is not known here. With one, both issues are stated. */
function defaultListenerOf(target: string): string | undefined {
  const found = findListenerOfTarget(target, noTemplates);
  return found.ok ? found.listener : undefined;
}

/** The issue with what was measured of it, and with the worse severity. */
export function addErrors(issue: Issue, errors: readonly Issue[]): Issue {
  const worst = [issue, ...errors].map(({ severity }) => severities.indexOf(severity));
  const labels = new Set(issue.evidence.map(({ label }) => label));
  return {
    ...issue,
    severity: severities[Math.min(...worst)] ?? issue.severity,
    cause: [...issue.cause, ...errors.flatMap(({ cause }) => cause)],
    evidence: [
      ...issue.evidence,
      ...errors.flatMap(({ evidence }) => evidence).filter(({ label }) => !labels.has(label)),
    ],
  };
}
