import { sum } from 'd3';
import { by, byDescending, inTurn } from '../../collections/compare';
import { formatCount, formatCounted } from '../../format/count';
import { formatShare } from '../../format/share';
import { assessErrors, type ErrorPeriod, isAlmostAll, type MeasuredErrors } from '../../issues/error-periods';
import { type FailingPlaces, findSharedPlace, type SharedPlace } from '../../issues/shared-place';
import { type FailureCause, failureCauses } from '../../observation/packed-requests';
import { CDS, formatResourceType } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import type { Issue } from './schema';

export interface FoundErrors extends ErrorPeriod {
  /** The errors measured at the end of the period. */
  readonly measured: MeasuredErrors;
  /** The ids of the clients with errors, those with the most first, and the number of further clients. */
  readonly clients: readonly string[];
  readonly moreClients: number;
  readonly places?: FailingPlaces | undefined;
  /** Set if the counters of the clients show them, in place of load reports. */
  readonly counted?: {
    readonly by: 'channelz' | 'envoy-admin';
    /** Set if attempts to connect are counted in place of requests, as of a TCP proxy. */
    readonly isOfConnections?: true | undefined;
    readonly causes: Readonly<Record<FailureCause, number>>;
    /** The time since which the counters of a process have begun anew within the period; absent: they have not. */
    readonly restartedAt?: EpochMs | undefined;
  };
}

interface LoadIssueFacts {
  /** The clusters of one issue; the one that failed first is first. */
  readonly found: readonly FoundErrors[];
  readonly nodeIdOf: (clientId: string) => string;
  readonly idOf: (key: string) => string;
  /** The time since which no source reports the client; undefined: one does. */
  readonly endOf: (clientId: string) => EpochMs | undefined;
}

const clustersListed = 5;
/** The last requests of a client count as errors for so long after its end. */
const endFoundMs = 2 * 60_000;

/** Requests to clusters that fail, as the clients report them (LRS) or count them; of gRPC's channels, RPCs to targets. */
export function buildLoadIssue({ found, nodeIdOf, idOf, endOf }: LoadIssueFacts): Issue {
  const [first] = found;
  if (first === undefined) throw new Error('expected a cluster');
  const { clusterName, from: since, counted } = first;
  const measured = sumErrors(found);
  const { errors, completed, ofAll } = measured;
  const until = first.to === undefined ? undefined : Math.max(...found.map(({ to = 0 }) => to));
  const isOne = found.length === 1;
  const isOfTarget = counted?.by === 'channelz';
  const { one, many, title } = nounsOf(first);
  const noun = isOfTarget ? 'target' : 'cluster';
  const what = isOne ? clusterName : formatCounted(found.length, noun);
  const to = `${isOfTarget ? '' : 'cluster '}${clusterName}${isOne ? '' : ' and others'}`;
  const share = isAlmostAll(measured)
    ? `Every ${one} to ${what} fails`
    : `${formatShare(errors / completed)} of the ${many} to ${what} fail`;
  const clients = [...new Set(found.flatMap((each) => each.clients))];
  const evidence = evidenceOf(first, isOne);
  const isGone =
    until !== undefined &&
    clients.every((clientId) => (endOf(clientId) ?? until + endFoundMs) < until + endFoundMs);
  const shared = findShared(found, nodeIdOf);
  return {
    id: idOf(JSON.stringify(['load-errors', clusterName, ...(counted?.isOfConnections ? [many] : [])])),
    kind: 'load-errors',
    state: until === undefined ? 'open' : isGone ? 'ended' : 'resolved',
    severity: assessErrors(measured),
    title: `${title}${shared.of} to ${to} fail${shared.at}`,
    resource:
      isOfTarget || !isOne
        ? undefined
        : { typeUrl: CDS.typeUrl, service: formatResourceType(CDS.typeUrl), name: clusterName },
    since,
    resolvedAt: until,
    mutedUntil: undefined,
    impact: {
      level: isAlmostAll(measured) && completed >= ofAll ? 'all-fail' : 'some-fail',
      text: `${share} (${formatShare(errors / ofAll)} of all measured ${many})`,
      reason: '',
      assessed: 0,
    },
    cause: [...listClusters(found), ...listCauses(found), ...listRestarts(found)],
    clients: {
      total: clients.length + Math.max(...found.map(({ moreClients }) => moreClients)),
      // Neither a probe nor a file reports load.
      probes: 0,
      imported: 0,
      // The order must not change with each report.
      items: clients.sort().map((clientId) => ({
        ...{ clientId, nodeId: nodeIdOf(clientId), isProbe: false, isImported: false },
        ...{ since, until, end: isGone ? ('gone' as const) : undefined, versionInfo: '' },
      })),
    },
    requests: undefined,
    group: isOne ? undefined : { noun, count: found.length },
    nextStep: isOne ? nextStepOf(first) : shared.nextStep,
    evidence:
      evidence === undefined
        ? []
        : [{ label: counted === undefined ? 'Load' : 'Connections', target: evidence }],
  };
}

interface Nouns {
  readonly one: string;
  readonly many: string;
  /** As the first word of a title. */
  readonly title: string;
}

function nounsOf({ counted }: Pick<FoundErrors, 'counted'>): Nouns {
  if (counted?.by === 'channelz') return { one: 'RPC', many: 'RPCs', title: 'RPCs' };
  return counted?.isOfConnections
    ? { one: 'connection', many: 'connections', title: 'Connections' }
    : { one: 'request', many: 'requests', title: 'Requests' };
}

interface Shared {
  /** Parts of the title. */
  readonly of: string;
  readonly at: string;
  readonly nextStep: string;
}

/** What the clusters of a group share by what is measured: the place where requests fail, or else the only client. */
function findShared(found: readonly FoundErrors[], nodeIdOf: (clientId: string) => string): Shared {
  const place = findSharedPlace(found.map(({ places }) => places));
  if (place !== undefined) return { of: '', at: describePlace(place), nextStep: placeSteps[place.kind] };
  const [clientId, ...others] = new Set(found.flatMap(({ clients }) => clients));
  const isOneClient = others.length === 0 && found.every(({ moreClients }) => moreClients === 0);
  return {
    of: found.length > 1 && isOneClient && clientId !== undefined ? ` of ${nodeIdOf(clientId)}` : '',
    at: '',
    nextStep:
      'They began to fail within three minutes; what causes it is not measured. Find the endpoints with errors in Load and Connections, and what they have in common.',
  };
}

function describePlace({ kind, name }: SharedPlace): string {
  return kind === 'host' ? ` at ${name}` : ` in locality ${name}`;
}

const placeSteps: Readonly<Record<SharedPlace['kind'], string>> = {
  host: 'All endpoints with errors have this address: check the machine, its load and its network.',
  locality:
    'All errors are of this locality, and other localities have none: check what its endpoints share.',
};

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
        text: `${formatCount(count)} ${textsOf(first)[cause]}`,
        evidence: evidenceOf(first, true),
      },
    ];
  });
}

/** Requests that failed between the last poll before a restart and the end of the process are counted by nobody. */
function listRestarts(found: readonly FoundErrors[]): Issue['cause'] {
  const restarts = found.flatMap(({ counted }) => counted?.restartedAt ?? []);
  return restarts.length === 0
    ? []
    : [
        {
          step: 'report',
          text: 'The counters began anew, as after a restart of the client',
          at: Math.max(...restarts),
          evidence: undefined,
        },
      ];
}

function describeErrors({ measured: { errors, completed }, counted }: FoundErrors): string {
  const of = `${formatCount(errors)} of ${formatCount(completed)}`;
  if (counted === undefined) return `${of} completed requests were errors`;
  if (counted.isOfConnections)
    return `${of} attempts to connect failed (upstream_cx_connect_fail, upstream_cx_none_healthy, upstream_cx_overflow)`;
  if (counted.by === 'channelz') return `${of} completed RPCs failed by channelz`;
  return counted.causes.unanswered > 0
    ? `${of} completed requests ended without an answer, or with 5xx (upstream_rq_5xx)`
    : `${of} completed requests were answered with 5xx (upstream_rq_5xx)`;
}

/** After the number. */
const causeTexts: Readonly<Record<FailureCause, string>> = {
  overflow: 'rejected by a circuit breaker at its limit (upstream_rq_pending_overflow)',
  noHost: 'found no usable host (upstream_cx_none_healthy)',
  connectFailure: 'attempts to connect failed (upstream_cx_connect_fail)',
  timeout: 'timed out (upstream_rq_timeout)',
  unanswered: 'ended before the host answered (upstream_rq_total beyond upstream_rq_completed)',
};

function textsOf({ counted }: FoundErrors): typeof causeTexts {
  if (!counted?.isOfConnections) return causeTexts;
  return {
    ...causeTexts,
    overflow:
      'rejected by a circuit breaker at its limit (upstream_cx_overflow, upstream_rq_pending_overflow)',
  };
}

const nextSteps: Readonly<Record<FailureCause, string>> = {
  overflow:
    'Raise the limit of the circuit breaker that is at its limit, or add capacity: what it rejected did not reach a host.',
  noHost:
    'Find out in Connections why no host is usable: health checks, outlier detection, or the health in EDS.',
  connectFailure: 'Check whether the hosts listen on their addresses: Connections lists those that fail.',
  timeout: 'Compare the time that the hosts need with the timeout of the route.',
  unanswered:
    'Compare the time that the hosts need with idle_timeout, stream_idle_timeout and max_stream_duration, or find out why callers leave: downstream_rq_idle_timeout and downstream_rq_max_duration_reached count what Envoy ended.',
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
  return JSON.stringify([counted.by, nounsOf({ counted }).many, cause, isOwn ? clusterName : '']);
}
