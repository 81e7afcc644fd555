import { sum } from 'd3';
import { by, byDescending, inTurn } from '../../collections/compare';
import { formatCount, formatCounted } from '../../format/count';
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
  /** The clusters of one issue; the one that failed first is first. */
  readonly found: readonly FoundErrors[];
  readonly nodeIdOf: (clientId: string) => string;
  readonly idOf: (key: string) => string;
}

const clustersListed = 5;

/** Requests to clusters that fail, as the clients report them (LRS). */
export function buildLoadIssue({ found, nodeIdOf, idOf }: LoadIssueFacts): Issue {
  const [first] = found;
  if (first === undefined) throw new Error('expected a cluster');
  const { clusterName, from: since } = first;
  const measured = sumErrors(found);
  const { errors, completed, ofAll } = measured;
  const until = first.to === undefined ? undefined : Math.max(...found.map(({ to = 0 }) => to));
  const isOne = found.length === 1;
  const what = isOne ? clusterName : formatCounted(found.length, 'cluster');
  const share = isAlmostAll(measured)
    ? `Every request to ${what} fails`
    : `${formatShare(errors / completed)} of the requests to ${what} fail`;
  const clients = [...new Set(found.flatMap((each) => each.clients))];
  return {
    id: idOf(JSON.stringify(['load-errors', clusterName])),
    kind: 'load-errors',
    state: until === undefined ? 'open' : 'resolved',
    severity: assessErrors(measured),
    title: isOne ? `Requests to cluster ${clusterName} fail` : `Requests to ${what} fail`,
    resource: isOne
      ? { typeUrl: CDS.typeUrl, service: formatResourceType(CDS.typeUrl), name: clusterName }
      : undefined,
    since,
    resolvedAt: until,
    mutedUntil: undefined,
    impact: {
      level: isAlmostAll(measured) && completed >= ofAll ? 'all-fail' : 'some-fail',
      text: `${share} (${formatShare(errors / ofAll)} of all measured requests)`,
      reason: '',
      assessed: 0,
    },
    cause: listClusters(found),
    clients: {
      total: clients.length + Math.max(...found.map(({ moreClients }) => moreClients)),
      // A probe reports no load.
      probes: 0,
      // The order must not change with each report.
      items: clients.sort().map((clientId) => ({
        ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: false },
        ...{ since, until, end: undefined, versionInfo: '' },
      })),
    },
    requests: undefined,
    nextStep: isOne
      ? 'Find the localities and endpoints with errors in Load, and compare them with the health that the client reports.'
      : 'The clusters began to fail together: check what their endpoints share, such as a machine, a network or a zone, and whether the clients are overloaded.',
    evidence: [{ label: 'Load', target: { kind: 'load', clusterName: isOne ? clusterName : '' } }],
  };
}

function sumErrors(found: readonly FoundErrors[]): MeasuredErrors {
  const completed = sum(found, ({ measured }) => measured.completed);
  // The clusters are measured over times that differ by their onsets.
  const ofAll = Math.max(completed, ...found.map(({ measured }) => measured.ofAll));
  return { errors: sum(found, ({ measured }) => measured.errors), completed, ofAll };
}

/** The clusters with the most errors. */
function listClusters(found: readonly FoundErrors[]): Issue['cause'] {
  const isOne = found.length === 1;
  const sorted = found.toSorted(
    inTurn(
      byDescending(({ measured }) => measured.errors),
      by(({ clusterName }) => clusterName),
    ),
  );
  const steps = sorted.slice(0, clustersListed).map(({ clusterName, measured: { errors, completed } }) => ({
    step: 'report' as const,
    text: `${isOne ? '' : `${clusterName}: `}${formatCount(errors)} of ${formatCount(completed)} completed requests were errors`,
    evidence: { kind: 'load' as const, clusterName },
  }));
  const others = found.length - steps.length;
  return others > 0
    ? [...steps, { step: 'report', text: `${formatCounted(others, 'more cluster')}` }]
    : steps;
}
