import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { hasAcceptedNone, inEffect } from '../../facts/effect';
import { ackedVersionOf } from '../../observation/acked-version';
import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import { effectStageOf, isAckOfRejected } from '../../observation/effect-stage';
import type { DeclaredSource } from '../../observation/observation';
import type { Answer, Delivery, Effect, ResourceRow } from '../../observation/resource-row';
import type { HeldVersion, ResourceKey, ResourceState } from '../../observation/resource-state';
import { findOriginalVantage } from '../../observation/vantage';
import { parseResourceName } from '../../xds/resource-name';
import { formatResourceType } from '../../xds/resource-type';
import { type ChosenReports, chooseReports, type FreshnessOf } from './choose-report';
import { type ClientResource, effectiveOf, findResource, keysOf } from './client-resource';

/**
 * Builds a client's rows, in the fixed order of types, then by name, from the client's reports and the control plane's. A
 * resource that only the control plane reports has a row with side "control-plane".
 *
 * If the client changes between two steps, a row is of any time in between, and the caller has to update changed rows.
 */
export function* buildResourceRows(client: ClientState, freshnessOf: FreshnessOf): Steps<ResourceRow[]> {
  const reports = chooseReports(client, freshnessOf);
  const findDelivery = deliveryFinder(client, freshnessOf);
  // Reports are mostly sorted within a type, so that rows by type are fast to sort.
  const byType = new Map<string, ResourceRow[]>();
  let count = 0;
  for (const key of keysOf(reports)) {
    const resource = findResource(reports, key);
    if (resource === undefined) continue;
    const row = buildResourceRow(resource, reports, findDelivery);
    const group = byType.get(row.typeUrl);
    if (group === undefined) byType.set(row.typeUrl, [row]);
    else group.push(row);
    count += 1;
    if (count % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps([...byType.values()].flat(), compareResourceKeys);
}

/** Returns a finder for single rows, which returns undefined if no report has the resource. */
export function resourceRowFinder(
  client: ClientState,
  freshnessOf: FreshnessOf,
): (key: ResourceKey) => ResourceRow | undefined {
  const reports = chooseReports(client, freshnessOf);
  const findDelivery = deliveryFinder(client, freshnessOf);
  return (key) => {
    const resource = findResource(reports, resourceKey(key));
    return resource && buildResourceRow(resource, reports, findDelivery);
  };
}

/** The time of the answer is null, as a status of a whole type does not contain it. */
function buildTypeAnswer(
  { typeAnswer, state, version }: ClientResource,
  { controlPlaneReport }: ChosenReports,
): ResourceRow['answer'] {
  if (typeAnswer === undefined || controlPlaneReport === undefined) return null;
  const versionInfo = typeAnswer === 'ACKED' ? version : (state.errorState?.versionInfo ?? '');
  return { status: typeAnswer, versionInfo, at: null, sourceId: controlPlaneReport.sourceId };
}

function buildResourceRow(
  resource: ClientResource<ClientReport>,
  reports: ChosenReports,
  findDelivery: FindDelivery,
): ResourceRow {
  const { state, shown, isOwn, configStatus, own, answered, their, version, contentVersion } = resource;
  const { reporter, answering } = resource;
  const effective = own === undefined ? answered : effectiveOf(own, answered);
  const effectiveReport = effective === answered ? answering : reporter;
  const { ambientError, apiVersion, canonicalName, stage, unanswered, doubt, isOnDemand } = state;
  const { otherVersions, waitsFor } = state;
  const answer =
    buildTypeAnswer(resource, reports) ??
    (effective && answering ? buildAnswer(answered ?? effective, answering) : null);
  const delivery = answer && answering && findDelivery(answered ?? state, answering);
  // A literal without a spread of the state: it takes a fraction of the time, and there may be 100,000 rows.
  const row: ResourceRow = {
    typeUrl: state.typeUrl,
    service: formatResourceType(state.typeUrl),
    name: state.name,
    versionInfo: version,
    state: shown,
    clientStatus: state.clientStatus,
    configStatus,
    lastUpdated: state.lastUpdated,
    errorState: state.errorState,
    hash: state.hash,
    sizeBytes: state.sizeBytes,
    isStatic: state.isStatic,
    changedAt: state.changedAt,
    sourceId: reporter?.sourceId ?? '',
    side: isOwn ? 'client' : 'control-plane',
    answer,
    effect: effective && effectiveReport ? buildEffect(effective, effectiveReport) : null,
    controlPlane:
      !isOwn || reports.controlPlaneReport === undefined || their === undefined
        ? null
        : {
            sourceId: reports.controlPlaneReport.sourceId,
            versionInfo: their.versionInfo,
            hash: their.hash,
            changedAt: their.changedAt,
          },
  };
  const isSentAgain = contentVersion !== version && contentVersion !== '' && state.hash !== null;
  const isPlain =
    !isSentAgain &&
    !ambientError &&
    !apiVersion &&
    canonicalName === undefined &&
    !unanswered &&
    !doubt &&
    !isOnDemand &&
    !otherVersions &&
    !waitsFor;
  if (delivery) Object.assign(row, { delivery });
  if (isPlain) return stage === undefined ? row : Object.assign(row, { stage });
  return {
    ...row,
    ...(isSentAgain && { contentVersion }),
    ...(ambientError && { ambientError }),
    ...(apiVersion && { apiVersion }),
    ...(canonicalName !== undefined && { canonicalName }),
    ...(stage && { stage }),
    ...(unanswered && { unanswered }),
    ...(doubt && { doubt }),
    ...(isOnDemand && { isOnDemand }),
    ...(otherVersions && { otherVersions }),
    ...(waitsFor && { waitsFor }),
  };
}

/** The answer to the newest response that carried the resource; null if none did, or if the source reports no answers. */
function buildAnswer(state: ResourceState, report: ClientReport): Answer | null {
  const { clientStatus, lastUpdated, errorState, stage, unanswered } = state;
  const { sourceId } = report;
  if (unanswered !== undefined) {
    return { status: 'NO_ANSWER', versionInfo: unanswered.versionInfo, at: unanswered.at, sourceId };
  }
  if (clientStatus === 'NACKED') {
    const { versionInfo: rejected = '', lastUpdateAttempt: at = null } = errorState ?? {};
    return { status: 'NACKED', versionInfo: rejected, at, sourceId };
  }
  if (clientStatus !== 'ACKED' || stage !== undefined) return null;
  return { status: 'ACKED', versionInfo: ackedVersionOf(state, report), at: lastUpdated, sourceId };
}

/** Returns the payload that the client runs; null if there is none, or if it is not known. */
function buildEffect(state: ResourceState, report: ClientReport): Effect | null {
  const stage = effectStageOf(state);
  const fact = inEffect(state);
  if (stage === undefined || fact.kind === 'unknown') return null;
  // What warms or drains is listed with its stage.
  const isListed = fact.kind === 'payload' || (isInStage(stage) && !hasAcceptedNone(state));
  const held = isAckOfRejected(state) ? state.otherVersions?.find(isActive) : state;
  if (!isListed || held === undefined) return null;
  const { hash, lastUpdated } = held;
  const versionInfo = held === state ? ackedVersionOf(state, report) : held.versionInfo;
  if (hash === null && versionInfo === '') return null;
  const evidence = evidenceOf(state, report);
  return { stage, versionInfo, hash, since: lastUpdated, evidence, sourceId: report.sourceId };
}

function isInStage(stage: Effect['stage']): boolean {
  return stage === 'warming' || stage === 'draining';
}

function evidenceOf({ stage, isStatic }: ResourceState, report: ClientReport): Effect['evidence'] {
  if (stage !== undefined || isStatic) return 'config_dump';
  const vantage = findOriginalVantage(report);
  return vantage === 'tap' || vantage === 'probe' ? 'ack' : 'csds';
}

function isActive({ stage }: HeldVersion): boolean {
  return stage === 'active';
}

/** `answering`: the report with the client's answer. */
type FindDelivery = (state: ResourceState, answering: ClientReport) => Delivery | undefined;

/**
 * Finds the management servers that delivered the resources of a client. The source of a tap or probe knows them: that of
 * the answer, or else one beside it that has recorded the same payload.
 */
function deliveryFinder({ clientId, reports }: ClientState, freshnessOf: FreshnessOf): FindDelivery {
  const sourceOf = (report: ClientReport) => freshnessOf(report, clientId).source;
  const streams = [...reports.values()].filter(isOfStreams);
  return (state, answering) => {
    const from = isOfStreams(answering) ? answering : findRecorded(streams, state);
    const source = from && sourceOf(from);
    return source && findServers(source, authorityOf(state.name));
  };
}

function isOfStreams(report: ClientReport): boolean {
  const vantage = findOriginalVantage(report);
  return vantage === 'tap' || vantage === 'probe';
}

/** The report that has accepted the payload last. */
function findRecorded(streams: readonly ClientReport[], state: ResourceState): ClientReport | undefined {
  let found: { readonly report: ClientReport; readonly at: number } | undefined;
  for (const report of streams) {
    const { hash, lastUpdated } = report.resources.get(resourceKey(state)) ?? {
      hash: null,
      lastUpdated: null,
    };
    const at = lastUpdated ?? 0;
    if (hash !== null && hash === state.hash && at >= (found?.at ?? 0)) found = { report, at };
  }
  return found?.report;
}

/** One object for each authority of a source: rows are compared by identity, and there may be 100,000 of them. */
const known = new WeakMap<DeclaredSource, Map<string | null, Delivery | undefined>>();

function findServers(source: DeclaredSource, authority: string | null): Delivery | undefined {
  let found = known.get(source);
  if (found === undefined) {
    found = new Map();
    known.set(source, found);
  }
  if (!found.has(authority)) found.set(authority, readServers(source, authority));
  return found.get(authority);
}

function readServers(
  { server, authorities }: DeclaredSource,
  authority: string | null,
): Delivery | undefined {
  // A tap relays every authority to one server, and so does a probe with a single server.
  if (authorities === undefined) return server === undefined ? undefined : { authority, servers: [server] };
  const servers = authorities.find((each) => each.authority === authority)?.servers;
  return servers && { authority, servers };
}

/** gRFC A47: old-style names, and names that are not valid, belong to no authority. */
function authorityOf(name: string): string | null {
  const parsed = parseResourceName(name);
  return parsed.ok && parsed.name.kind === 'xdstp' ? parsed.name.authority : null;
}
