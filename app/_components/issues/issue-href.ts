import type { IssueEvidence } from '@/lib/api/issues';
import { clientHref } from '../client-href';
import { nackHref } from '../nack-href';

export function issueHref(issueId: string): string {
  return `/issues/${encodeURIComponent(issueId)}`;
}

/** The page of the evidence, with it selected. */
export function evidenceHref(evidence: IssueEvidence): string {
  switch (evidence.kind) {
    case 'nack':
      return nackHref(evidence.groupId);
    case 'resource':
      return clientHref(evidence.clientId, evidence);
    case 'resolved':
      return `${pathOf(evidence.clientId)}/resolved?listener=${encodeURIComponent(evidence.listener)}`;
    case 'propagation':
      return `${pathOf(evidence.clientId)}/propagation?propagation=differs`;
    case 'tears':
      return `${pathOf(evidence.clientId)}/resolved?list=tears`;
    case 'validation':
      return `${pathOf(evidence.clientId)}/findings`;
    case 'load':
      return `/load?cluster=${encodeURIComponent(evidence.clusterName)}`;
    case 'event':
      return `${pathOf(evidence.clientId)}/history?event=${evidence.seq}`;
    case 'source':
      return `/sources#${encodeURIComponent(evidence.sourceId)}`;
    case 'recorder':
      return '/sources#recorder';
  }
}

function pathOf(clientId: string): string {
  return `/clients/${encodeURIComponent(clientId)}`;
}
