import { byDescending } from '../../collections/compare';
import { formatCount } from '../../format/count';
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
  readonly found: FoundErrors;
  readonly nodeIdOf: (clientId: string) => string;
  readonly idOf: (key: string) => string;
}

/** Requests to a cluster that fail, as the clients report them (LRS) or count them; of gRPC's channels, RPCs to a target. */
export function buildLoadIssue({ found, nodeIdOf, idOf }: LoadIssueFacts): Issue {
  const { clusterName, from: since, to: until, measured, clients, moreClients, counted } = found;
  const { errors, completed, ofAll } = measured;
  const [firstClient] = clients;
  const isOfTarget = counted?.by === 'channelz';
  const requests = isOfTarget ? 'RPCs' : 'requests';
  const to = isOfTarget ? clusterName : `cluster ${clusterName}`;
  const connections =
    firstClient === undefined ? undefined : ({ kind: 'connections', clientId: firstClient } as const);
  const evidence = counted === undefined ? ({ kind: 'load', clusterName } as const) : connections;
  const share = isAlmostAll(measured)
    ? `Every ${isOfTarget ? 'RPC' : 'request'} to ${clusterName} fails`
    : `${formatShare(errors / completed)} of the ${requests} to ${clusterName} fail`;
  return {
    id: idOf(JSON.stringify(['load-errors', clusterName])),
    kind: 'load-errors',
    state: until === undefined ? 'open' : 'resolved',
    severity: assessErrors(measured),
    title: `${isOfTarget ? 'RPCs' : 'Requests'} to ${to} fail`,
    resource: isOfTarget
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
    cause: [
      { step: 'report', text: describeErrors(found), evidence },
      ...causesOf(found).map((text) => ({ step: 'report', text, evidence }) as const),
    ],
    clients: {
      total: clients.length + moreClients,
      // A probe sends no requests.
      probes: 0,
      // The order must not change with each report.
      items: [...clients].sort().map((clientId) => ({
        ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: false },
        ...{ since, until, end: undefined, versionInfo: '' },
      })),
    },
    requests: undefined,
    nextStep: nextStepOf(found),
    evidence:
      evidence === undefined
        ? []
        : [{ label: counted === undefined ? 'Load' : 'Connections', target: evidence }],
  };
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

function causesOf({ counted }: FoundErrors): string[] {
  if (counted === undefined) return [];
  return failureCauses.flatMap((cause) =>
    counted.causes[cause] === 0 ? [] : [causeTexts[cause](formatCount(counted.causes[cause]))],
  );
}

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
  const [most] = [...failureCauses].sort(byDescending((cause) => counted.causes[cause]));
  return most === undefined || counted.causes[most] === 0
    ? 'Find the hosts with failed requests in Connections: they answer with 5xx themselves.'
    : nextSteps[most];
}
