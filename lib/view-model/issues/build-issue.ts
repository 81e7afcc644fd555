import type { Issue, IssueEvidence } from '../../api/issues';
import type { ImpactOfIssue } from '../../issues/describe-impact';
import type { IssueAt } from '../../issues/issue-at';
import type { IssuePeriod } from '../../issues/issue-record';
import { formatResourceType } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import { buildCauseSteps } from './build-cause-steps';
import { describeIssueKind } from './describe-issue-kind';

export interface IssueFacts {
  readonly found: IssueAt;
  readonly impact: ImpactOfIssue;
  /** The number of clients whose effective config was assessed. */
  readonly assessed: number;
  /** The listener that the worst impact is about. */
  readonly listener: string | null;
  readonly mutedUntil: EpochMs | null;
  readonly requests: Issue['requests'];
  readonly nodeIdOf: (clientId: string) => string;
  readonly isProbe: (clientId: string) => boolean;
  /** The number of listed clients. */
  readonly clientsListed: number;
}

/** Builds an issue of clients as the API states it. */
export function buildIssue(facts: IssueFacts): Issue {
  const { found, impact, assessed, mutedUntil, requests } = facts;
  const { record, since, resolvedAt, periods } = found;
  const { kind, typeUrl, name } = record.cause;
  const { title, nextStep } = describeIssueKind(record.cause, periods.length);
  return {
    id: record.id,
    kind,
    state: resolvedAt !== null ? 'resolved' : mutedUntil === null ? 'open' : 'muted',
    severity: impact.severity,
    title,
    resource: { typeUrl, service: formatResourceType(typeUrl), name },
    since,
    resolvedAt,
    mutedUntil,
    impact: { level: impact.level, text: impact.text, reason: impact.reason, assessed },
    cause: buildCauseSteps(found),
    clients: {
      total: periods.length,
      probes: periods.filter(({ clientId }) => facts.isProbe(clientId)).length,
      items: periods.slice(0, facts.clientsListed).map((period) => buildClient(period, facts)),
    },
    requests,
    nextStep,
    evidence: listEvidence(facts),
  };
}

function buildClient(
  { clientId, from: since, to: until, end, versionInfo }: IssuePeriod,
  { nodeIdOf, isProbe }: Pick<IssueFacts, 'nodeIdOf' | 'isProbe'>,
): Issue['clients']['items'][number] {
  return {
    ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: isProbe(clientId) },
    ...{ since, until, end, versionInfo },
  };
}

function listEvidence({ found, listener }: IssueFacts): Issue['evidence'] {
  const { record, periods } = found;
  const { kind, typeUrl, name } = record.cause;
  const [first] = periods;
  const list: (Issue['evidence'][number] | undefined)[] = [];
  const add = (label: string, target: IssueEvidence): void => void list.push({ label, target });
  if (kind === 'nack') add('Rejected payload', { kind: 'nack', groupId: record.id });
  if (first !== undefined) {
    const { clientId, fromSeq: seq } = first;
    if (name !== '') add('Resource', { kind: 'resource', clientId, typeUrl, name });
    if (listener !== null) add('Effective config', { kind: 'resolved', clientId, listener });
    if (kind === 'unanswered') add('Propagation', { kind: 'propagation', clientId });
    if (kind === 'tear') add('Config tears', { kind: 'tears', clientId });
    if (kind === 'finding' || kind === 'notice') add('Validation', { kind: 'validation', clientId });
    if (seq !== null) add('First event', { kind: 'event', clientId, seq });
  }
  return list.filter((each) => each !== undefined);
}
