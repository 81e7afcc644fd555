import { sum } from 'd3';
import { by, byDescending, inTurn } from '../../collections/compare';
import { formatCount, formatCounted } from '../../format/count';
import { formatShare } from '../../format/share';
import { assessErrors, type ErrorPeriod, isAlmostAll, type MeasuredErrors } from '../../issues/error-periods';
import { type FailureCause, failureCauses } from '../../observation/packed-requests';
import { CDS, formatResourceType } from '../../xds/resource-type';
import type { Issue } from './schema';

export interface FoundErrors extends ErrorPeriod {
  /** The errors measured at the end of the period. */
  readonly measured: MeasuredErrors;
  /** The ids of the clients with errors, those with the most first, and the number of further clients. */
  readonly clients: readonly string[];
  readonly moreClients: number;
  /** Set if the counters of the clients show them, in place of load reports. */
  readonly counted?: {
    readonly by: 'channelz' | 'envoy-admin';
    readonly causes: Readonly<Record<FailureCause, number>>;
  };
}

interface LoadIssueFacts {
  /** The clusters of one issue; the one that failed first is first. */
  readonly found: readonly FoundErrors[];
  readonly nodeIdOf: (clientId: string) => string;
  readonly idOf: (key: string) => string;
}

const clustersListed = 5;

/** Requests to clusters that fail, as the clients report them (LRS) or count them; of gRPC's channels, RPCs to targets. */
export function buildLoadIssue({ found, nodeIdOf, idOf }: LoadIssueFacts): Issue {
  const [first] = found;
  if (first === undefined) throw new Error('expected a cluster');
  const { clusterName, from: since, counted } = first;
  const measured = sumErrors(found);
  const { errors, completed, ofAll } = measured;
  const until = first.to === undefined ? undefined : Math.max(...found.map(({ to = 0 }) => to));
  const isOne = found.length === 1;
  const isOfTarget = counted?.by === 'channelz';
  const requests = isOfTarget ? 'RPCs' : 'requests';
  const what = isOne ? clusterName : formatCounted(found.length, isOfTarget ? 'target' : 'cluster');
  const to = isOne && !isOfTarget ? `cluster ${what}` : what;
  const share = isAlmostAll(measured)
    ? `Every ${isOfTarget ? 'RPC' : 'request'} to ${what} fails`
    : `${formatShare(errors / completed)} of the ${requests} to ${what} fail`;
  const clients = [...new Set(found.flatMap((each) => each.clients))];
  const evidence = evidenceOf(first, isOne);
  return {
    id: idOf(JSON.stringify(['load-errors', clusterName])),
    kind: 'load-errors',
    state: until === undefined ? 'open' : 'resolved',
    severity: assessErrors(measured),
    title: `${isOfTarget ? 'RPCs' : 'Requests'} to ${to} fail`,
    resource:
      isOfTarget || !isOne
        ? undefined
        : { typeUrl: CDS.typeUrl, service: formatResourceType(CDS.typeUrl), name: clusterName },
    since,
    resolvedAt: until,
    mutedUntil: undefined,
    impact: {
      level: isAlmostAll(measured) && completed >= ofAll ? 'all-fail' : 'some-fail',
      text: `${share} (${formatShare(errors / ofAll)} of all measured ${requests})`,
      reason: '',
      assessed: 0,
    },
    cause: [...listClusters(found), ...listCauses(found)],
    clients: {
      total: clients.length + Math.max(...found.map(({ moreClients }) => moreClients)),
      // A probe sends no requests.
      probes: 0,
      // The order must not change with each report.
      items: clients.sort().map((clientId) => ({
        ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: false },
        ...{ since, until, end: undefined, versionInfo: '' },
      })),
    },
    requests: undefined,
    nextStep: isOne
      ? nextStepOf(first)
      : 'They began to fail together: check what their endpoints share, such as a machine, a network or a zone, and whether the clients are overloaded.',
    evidence:
      evidence === undefined
        ? []
        : [{ label: counted === undefined ? 'Load' : 'Connections', target: evidence }],
  };
}

/** The load of the cluster, or of all; the connections of the first client that counts the errors. */
function evidenceOf({ clusterName, counted, clients: [clientId] }: FoundErrors, isOne: boolean) {
  if (counted === undefined) return { kind: 'load', clusterName: isOne ? clusterName : '' } as const;
  return clientId === undefined ? undefined : ({ kind: 'connections', clientId } as const);
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
  const steps = sorted.slice(0, clustersListed).map((each) => ({
    step: 'report' as const,
    text: `${isOne ? '' : `${each.clusterName}: `}${describeErrors(each)}`,
    evidence: evidenceOf(each, true),
  }));
  const others = found.length - steps.length;
  return others > 0 ? [...steps, { step: 'report', text: formatCounted(others, 'more cluster') }] : steps;
}

/** What the counters of all clusters show of the reasons. */
function listCauses(found: readonly FoundErrors[]): Issue['cause'] {
  const [first] = found;
  return failureCauses.flatMap((cause) => {
    const count = sum(found, ({ counted }) => counted?.causes[cause] ?? 0);
    if (count === 0 || first === undefined) return [];
    return [
      {
        step: 'report' as const,
        text: causeTexts[cause](formatCount(count)),
        evidence: evidenceOf(first, true),
      },
    ];
  });
}

function describeErrors({ measured: { errors, completed }, counted }: FoundErrors): string {
  const of = `${formatCount(errors)} of ${formatCount(completed)}`;
  if (counted === undefined) return `${of} completed requests were errors`;
  return counted.by === 'channelz'
    ? `${of} completed RPCs failed by channelz`
    : `${of} completed requests were answered with 5xx (upstream_rq_5xx)`;
}

const causeTexts: Readonly<Record<FailureCause, (count: string) => string>> = {
  overflow: (count) => `${count} rejected by a circuit breaker at its limit (upstream_rq_pending_overflow)`,
  noHost: (count) => `${count} found no usable host (upstream_cx_none_healthy)`,
  connectFailure: (count) => `${count} attempts to connect failed (upstream_cx_connect_fail)`,
  timeout: (count) => `${count} timed out (upstream_rq_timeout)`,
};

const nextSteps: Readonly<Record<FailureCause, string>> = {
  overflow:
    'Raise the limit of the circuit breaker that is at its limit, or add capacity: the requests did not reach a host.',
  noHost:
    'Find out in Connections why no host is usable: health checks, outlier detection, or the health in EDS.',
  connectFailure: 'Check whether the hosts listen on their addresses: Connections lists those that fail.',
  timeout: 'Compare the time that the hosts need with the timeout of the route.',
};

function nextStepOf({ counted }: FoundErrors): string {
  if (counted === undefined)
    return 'Find the localities and endpoints with errors in Load, and compare them with the health that the client reports.';
  if (counted.by === 'channelz')
    return 'Find the endpoints that fail in Connections; the effective config states what cannot be served.';
  const most = mostFrequent(counted.causes);
  return most === undefined
    ? 'Find the hosts with failed requests in Connections: they answer with 5xx themselves.'
    : nextSteps[most];
}

/** undefined: no counter shows a cause. */
function mostFrequent(causes: Readonly<Record<FailureCause, number>>): FailureCause | undefined {
  const [most] = [...failureCauses].sort(byDescending((cause) => causes[cause]));
  return most === undefined || causes[most] === 0 ? undefined : most;
}

/** Requests fail for different reasons if their keys differ. The hosts and the limits of a cluster are its own. */
export function failureKeyOf({ clusterName, counted }: FoundErrors): string {
  if (counted === undefined) return 'load reports';
  const cause = mostFrequent(counted.causes) ?? '';
  const isOwn = cause === 'overflow' || cause === 'noHost';
  return JSON.stringify([counted.by, cause, isOwn ? clusterName : '']);
}
