import { formatShare } from '../format/share';
import { choosePolicy } from '../lb/tree/choose-policy';
import { readRingSize } from '../lb/tree/describe-policy';
import { dropPercentOf } from '../model/admission';
import { envoyPolicyOf } from '../model/envoy-policy';
import type { FieldReader } from '../model/field-reader';
import { readHashBalancing } from '../model/hash-balancing';
import { findMetadata } from '../requests/metadata';
import type { ChosenBy } from '../resolve/choose-for-request';
import { endpointsOf } from '../resolve/cluster-endpoints';
import { assignmentOf } from '../resolve/leaf-assignment';
import {
  type ClusterConfig,
  type ClusterEntry,
  doubtOfCluster,
  errorOfCluster,
  statusOfCluster,
} from '../resolve/xds-config';
import { clientOf } from '../xds/profile';
import { CDS } from '../xds/resource-type';
import { findClosedLimit, settingsOfCluster } from './cluster-settings';
import { hashOfRequest, type RequestHash } from './hash-of-request';
import { findPossibleEndpoints, type Hashing } from './possible-endpoints';
import type { ClusterTarget } from './route-action';
import type { Branch, Step } from './trace';
import { joinCondition, resourceOf, type TraceBuilder } from './trace-builder';

export function explainCluster(
  trace: TraceBuilder,
  target: ClusterTarget,
  action: FieldReader | undefined,
  manager?: FieldReader,
): Branch[] {
  const { cluster, when, percent } = target;
  trace.reached = { ...trace.reached, cluster };
  const with_ = (branch: Branch): Branch => (when === '' ? branch : joinCondition(branch, when, percent));
  const entry = decidedHere(trace.config.findCluster(cluster), trace.isEnvoy);
  const config = entry.config?.ok === true ? entry.config.value : undefined;
  const resource = resourceOf(config?.resource) ?? { typeUrl: CDS.typeUrl, name: cluster };
  const step = { stage: 'cluster', title: `cluster ${cluster}`, resource, path: '' } as const;
  const priority = action?.enumName('priority', 'DEFAULT') ?? 'DEFAULT';
  const fails = statusOfCluster(entry) === 'error';
  if (fails && !(isClosed(entry) && priority !== 'DEFAULT'))
    return [with_(failCluster(trace, entry, step, action))];
  const doubt = whyUnknown(entry, config);
  if (doubt !== '' || config === undefined) {
    trace.add({ ...step, verdict: 'unknown', reason: doubt });
    return [with_(trace.unknown(`${step.title}: ${doubt}`))];
  }
  const body = trace.isEnvoy ? trace.openResource(config.resource) : undefined;
  const settings = body === undefined ? undefined : settingsOfCluster(body, priority);
  const closed = body && findClosedLimit(body, priority);
  const more = { ...(settings && { settings }) };
  if (closed !== undefined) {
    const reason = `circuit_breakers: ${closed} of priority ${priority} is 0`;
    trace.add({ ...step, ...more, verdict: 'not-taken', reason });
    return [with_(trace.failed(reason, { status: 503, flag: 'UO' }))];
  }
  const { breaker } = config;
  const verdict = percent === undefined && breaker === undefined ? 'taken' : 'depends';
  trace.add({ ...step, ...more, verdict, reason: [when, breaker ?? ''].filter(Boolean).join('; ') });
  const policies = action?.objects('hashPolicy') ?? [];
  const hashing = manager && findHashing(trace, config, body, policies, manager);
  const forwarded = explainEndpoints(trace, target, resource, hashing);
  const found = findSubsetOrNone(trace, config, target.criteria, forwarded);
  return explainDrops(trace, config, admitOrReject(trace, breaker, found)).map(with_);
}

/** The metadata of this request decides, and not that of all; the drops of an Envoy are branches of their own. */
function decidedHere(entry: ClusterEntry, isEnvoy: boolean): ClusterEntry {
  if (entry.config?.ok !== true) return entry;
  const { subsets: _, whyNothingAdmitted, ...value } = entry.config.value;
  const closed = !isEnvoy && whyNothingAdmitted !== undefined && { whyNothingAdmitted };
  return { ...entry, config: { ok: true, value: { ...value, ...closed } } };
}

/** NO_FALLBACK: a request that may have metadata of no subset may fail. */
function findSubsetOrNone(
  trace: TraceBuilder,
  { balancing }: ClusterConfig,
  criteria: ClusterTarget['criteria'],
  forwarded: Branch,
): Branch[] {
  const { subset } = trace.isEnvoy ? envoyPolicyOf(balancing) : { subset: null };
  const { doubt } = chosenBy(trace, criteria);
  const fallbacks =
    subset === null ? [] : [subset.fallback, ...subset.selectors.map((each) => each.fallback)];
  if (doubt === undefined || !fallbacks.includes('NO_FALLBACK')) return [forwarded];
  const none = trace.failed(`no healthy upstream: no subset has the metadata of the request: ${doubt}`, {
    ...{ status: 503, flag: 'UH' },
  });
  return [
    { ...forwarded, when: 'a subset has its metadata' },
    { ...none, when: 'no subset has its metadata' },
  ];
}

function admitOrReject(
  trace: TraceBuilder,
  breaker: string | undefined,
  forwarded: readonly Branch[],
): Branch[] {
  if (breaker === undefined) return [...forwarded];
  return [
    ...forwarded.map((branch) => joinCondition(branch, 'its circuit breaker admits the request', undefined)),
    {
      ...trace.failed(breaker, { status: 503, flag: 'UO' }),
      when: 'its circuit breaker rejects the request',
    },
  ];
}

/** "drop_overloads": each category drops its percentage. Envoy, measured with 1.40.0: 503, flag DO. */
function explainDrops(trace: TraceBuilder, { children }: ClusterConfig, others: readonly Branch[]): Branch[] {
  const assignment = children.kind === 'endpoints' ? children.endpoints : null;
  const percent = assignment === null ? 0 : dropPercentOf(assignment);
  if (percent === 0) return [...others];
  const dropped = trace.failed(
    `EDS drops ${formatShare(percent / 100)} of the requests to the cluster (drop_overloads)`,
    trace.isEnvoy ? { status: 503, flag: 'DO' } : { grpcCode: 'UNAVAILABLE' },
  );
  if (percent >= 100) return [dropped];
  return [
    ...others.map((branch) => joinCondition(branch, 'the request is not dropped', 100 - percent)),
    joinCondition(dropped, 'the request is dropped', percent),
  ];
}

function isClosed({ config }: ClusterEntry): boolean {
  return config?.ok === false && config.why === 'limit';
}

/** Why it is not known what the client does with a request to the cluster; empty if it is. */
function whyUnknown(entry: ClusterEntry, config: ClusterConfig | undefined): string {
  if (isClosed(entry)) return 'max_requests of the default priority is 0, and the route has another priority';
  const doubt = entry.missing[0]?.text ?? (config && doubtOfCluster(config));
  if (doubt !== undefined) return doubt;
  const isOpen =
    config === undefined || (statusOfCluster(entry) !== 'ok' && config.notModelled === undefined);
  return isOpen ? 'it is not known whether the client runs it' : '';
}

function explainEndpoints(
  trace: TraceBuilder,
  { cluster, criteria }: ClusterTarget,
  resource: Step['resource'],
  hashing: Hashing | undefined,
): Branch {
  const { endpoints, isByHash, isNoneChosen, isByZone, notes } = findPossibleEndpoints(
    cluster,
    trace.profile,
    { findCluster: trace.config.findCluster },
    chosenBy(trace, criteria),
    hashing,
  );
  const only = endpoints.length === 1 ? endpoints[0] : undefined;
  const step = { stage: 'endpoints', resource, path: '' } as const;
  if (isNoneChosen) {
    const reason = notes.join('; ');
    trace.add({ ...step, title: 'no endpoint', verdict: 'not-taken', reason });
    return trace.failed(`no healthy upstream: ${reason}`, { status: 503, flag: 'UH' });
  }
  trace.add({
    ...step,
    title: only === undefined ? `${endpoints.length} endpoints` : `endpoint ${only.address}`,
    verdict: endpoints.length === 0 ? 'unknown' : only === undefined ? 'depends' : 'taken',
    reason: [
      ...(endpoints.length > 1 ? ['the LB policy of the cluster chooses one of them'] : []),
      ...notes,
    ].join('; '),
  });
  return {
    ...{ kind: 'forwarded', when: '', ...trace.reached, endpoints },
    text: `forwarded to cluster ${cluster}`,
    ...(isByZone && { isByZone }),
    ...(isByHash && { isByHash }),
  };
}

/** undefined if the cluster does not choose an endpoint by the hash of a request. */
function findHashing(
  { request, find, profile }: TraceBuilder,
  config: ClusterConfig,
  body: FieldReader | undefined,
  policies: readonly FieldReader[],
  manager: FieldReader,
): Hashing | undefined {
  const { lacksMetadata } = assignmentOf(config);
  const hashOf = (own: readonly FieldReader[]): RequestHash =>
    lacksMetadata
      ? { kind: 'depends', reason: 'the metadata of the endpoints is not reported' }
      : hashOfRequest(own, { request, find, profile, manager });
  if (clientOf(profile) === 'envoy') {
    const envoy = body && readHashBalancing(body);
    return envoy && { envoy, request: hashOf(envoy.hashPolicies.length > 0 ? envoy.hashPolicies : policies) };
  }
  const { chosen } = choosePolicy(config.balancing, profile);
  return chosen?.policy === 'ring_hash'
    ? { ring: readRingSize(chosen.config), request: hashOf(policies) }
    : undefined;
}

/** "The request's metadata, if present, takes precedence over the route's." */
function chosenBy({ metadata }: TraceBuilder, criteria: ClusterTarget['criteria']): ChosenBy {
  const own = findMetadata(metadata, 'envoy.lb', []);
  if (own.kind === 'depends') return { criteria, doubt: own.reason, isAdmitted: true };
  return {
    isAdmitted: true,
    criteria: own.kind === 'value' ? { ...criteria, ...metadata.known['envoy.lb'] } : criteria,
  };
}

function failCluster(
  trace: TraceBuilder,
  entry: ClusterEntry,
  step: Pick<Step, 'stage' | 'title' | 'resource' | 'path'>,
  action: FieldReader | undefined,
): Branch {
  const reason = errorOfCluster(entry);
  const isAbsent = entry.config?.ok === false && entry.config.why === 'absent';
  trace.add({ ...step, verdict: 'not-taken', reason });
  if (!trace.isEnvoy) return trace.failed(reason, { grpcCode: 'UNAVAILABLE' });
  if (!isAbsent)
    return trace.failed(reason, isEndedByHost(entry) ? {} : { status: 503, flag: flagOf(entry) });
  const code = action?.enumName('clusterNotFoundResponseCode', 'SERVICE_UNAVAILABLE');
  const status = { NOT_FOUND: 404, INTERNAL_SERVER_ERROR: 500 }[code ?? ''] ?? 503;
  return trace.failed(reason, { status, flag: 'NC' });
}

/** Requests are measured to fail that hosts get: they chose the status, or a time limit ended them. */
function isEndedByHost({ config }: ClusterEntry): boolean {
  if (config?.ok !== true) return false;
  const { children } = config.value;
  if ('use' in children && children.use.failingLoad !== undefined) return true;
  return endpointsOf(assignmentOf(config.value).priorities).some(({ failure }) => failure === 'requests');
}

/** UH: no healthy upstream host; UO: upstream overflow, by a circuit breaker; UF: a host that is used, as in panic, fails. */
function flagOf(entry: ClusterEntry): string {
  const children = entry.config?.ok === true ? entry.config.value.children : undefined;
  const use = children?.kind === 'endpoints' || children?.kind === 'dns' ? children.use : undefined;
  const isEmpty = use?.usable === 0 && use.panicThreshold === undefined;
  return isClosed(entry) ? 'UO' : isEmpty ? 'UH' : 'UF';
}
