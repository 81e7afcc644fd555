import { formatCount } from '../../format/count';
import { formatShare } from '../../format/share';
import { assessErrors, type ErrorPeriod, isAlmostAll, type MeasuredErrors } from '../../issues/error-periods';
import { CDS, formatResourceType } from '../../xds/resource-type';
import type { Issue } from './schema';

export interface FoundErrors extends ErrorPeriod {
  /** The errors measured at the end of the period. */
  readonly measured: MeasuredErrors;
  /** The ids of the clients with errors, those with the most first, and the number of further clients. */
  readonly clients: readonly string[];
  readonly moreClients: number;
}

interface LoadIssueFacts {
  readonly found: FoundErrors;
  readonly nodeIdOf: (clientId: string) => string;
  readonly idOf: (key: string) => string;
}

/** Requests to a cluster that fail, as the clients report them (LRS). */
export function buildLoadIssue({ found, nodeIdOf, idOf }: LoadIssueFacts): Issue {
  const { clusterName, from: since, to: until, measured, clients, moreClients } = found;
  const { errors, completed, ofAll } = measured;
  const evidence = { kind: 'load', clusterName } as const;
  const share = isAlmostAll(measured)
    ? `Every request to ${clusterName} fails`
    : `${formatShare(errors / completed)} of the requests to ${clusterName} fail`;
  return {
    id: idOf(JSON.stringify(['load-errors', clusterName])),
    kind: 'load-errors',
    state: until === undefined ? 'open' : 'resolved',
    severity: assessErrors(measured),
    title: `Requests to cluster ${clusterName} fail`,
    resource: { typeUrl: CDS.typeUrl, service: formatResourceType(CDS.typeUrl), name: clusterName },
    since,
    resolvedAt: until,
    mutedUntil: undefined,
    impact: {
      level: isAlmostAll(measured) && completed >= ofAll ? 'all-fail' : 'some-fail',
      text: `${share} (${formatShare(errors / ofAll)} of all measured requests)`,
      reason: '',
      assessed: 0,
    },
    cause: [
      {
        step: 'report',
        text: `${formatCount(errors)} of ${formatCount(completed)} completed requests were errors`,
        evidence,
      },
    ],
    clients: {
      total: clients.length + moreClients,
      // A probe reports no load.
      probes: 0,
      // The order must not change with each report.
      items: [...clients].sort().map((clientId) => ({
        ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: false },
        ...{ since, until, end: undefined, versionInfo: '' },
      })),
    },
    requests: undefined,
    nextStep:
      'Find the localities and endpoints with errors in Load, and compare them with the health that the client reports.',
    evidence: [{ label: 'Load', target: evidence }],
  };
}
