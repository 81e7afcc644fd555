import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { Delivery, ResourceRow } from '../../observation/resource-row';
import type { ResourceKey, ResourceState } from '../../observation/resource-state';
import { sortInSteps } from '../../steps/sort-in-steps';
import { itemsPerStep, type Steps } from '../../steps/steps';
import { formatResourceType } from '../../xds/resource-type';
import { buildAnswer, buildEffect } from './build-facts';
import { type ChosenReports, chooseReports, type FreshnessOf } from './choose-report';
import { type ClientResource, effectiveOf, findResource, keysOf } from './client-resource';
import { deliveryFinder, type FindDelivery } from './find-delivery';

/** Rows by the states they were built from. Most rows are the same at the next moment. */
export type KnownRows = WeakMap<
  ResourceState,
  {
    readonly answered: ResourceState | undefined;
    readonly their: ResourceState | undefined;
    readonly typeAnswer: ClientResource['typeAnswer'];
    readonly row: ResourceRow;
  }
>;

/**
 * Builds a client's rows, in the fixed order of types, then by name, from the client's reports and the control plane's. A
 * resource that only the control plane reports has a row with side "control-plane".
 *
 * If the client changes between two steps, a row is of any time in between, and the caller has to update changed rows. Rows
 * in `known` are used again if they are unchanged. MUTATES `known`.
 */
export function* buildResourceRows(
  client: ClientState,
  freshnessOf: FreshnessOf,
  known?: KnownRows,
): Steps<ResourceRow[]> {
  const reports = chooseReports(client, freshnessOf);
  const findDelivery = deliveryFinder(client, freshnessOf);
  // Reports are mostly sorted within a type, so that rows by type are fast to sort.
  const byType = new Map<string, ResourceRow[]>();
  let count = 0;
  for (const key of keysOf(reports)) {
    const resource = findResource(reports, key);
    if (resource === undefined) continue;
    const row = knownRow(known, resource, reports, findDelivery);
    const group = byType.get(row.typeUrl);
    if (group === undefined) byType.set(row.typeUrl, [row]);
    else group.push(row);
    count += 1;
    if (count % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps([...byType.values()].flat(), compareResourceKeys);
}

function knownRow(
  known: KnownRows | undefined,
  resource: ClientResource<ClientReport>,
  reports: ChosenReports,
  findDelivery: FindDelivery,
): ResourceRow {
  if (known === undefined) return buildResourceRow(resource, reports, findDelivery);
  const { own, answered, their } = resource;
  const key = own ?? answered ?? resource.state;
  const found = known.get(key);
  if (
    found !== undefined &&
    found.answered === answered &&
    found.their === their &&
    found.typeAnswer === resource.typeAnswer &&
    found.row.configStatus === resource.configStatus &&
    found.row.versionInfo === resource.version &&
    found.row.sourceId === resource.reporter?.sourceId &&
    found.row.side === (resource.isOwn ? 'client' : 'control-plane') &&
    found.row.controlPlane?.sourceId === (resource.isOwn && their ? reports.theirs?.sourceId : undefined) &&
    (found.row.answer === null || found.row.delivery === deliveryOf(resource, findDelivery))
  ) {
    return found.row;
  }
  const row = buildResourceRow(resource, reports, findDelivery);
  known.set(key, { answered, their, typeAnswer: resource.typeAnswer, row });
  return row;
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

function deliveryOf(
  resource: ClientResource<ClientReport>,
  findDelivery: FindDelivery,
): Delivery | undefined {
  const { answering } = resource;
  return answering && findDelivery(resource.answered ?? resource.state, answering);
}

/** When the client answered is not reported. */
function buildTypeAnswer(
  { typeAnswer, state, version }: ClientResource,
  { theirs }: ChosenReports,
): ResourceRow['answer'] {
  if (typeAnswer === undefined || theirs === undefined) return null;
  const versionInfo = typeAnswer === 'ACKED' ? version : (state.errorState?.versionInfo ?? '');
  return { status: typeAnswer, versionInfo, at: null, sourceId: theirs.sourceId };
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
  const { ambientError, apiVersion, canonicalName, stage, unanswered, doubt } = state;
  const { otherVersions, waitsFor } = state;
  const answer =
    buildTypeAnswer(resource, reports) ??
    (effective && answering ? buildAnswer(answered ?? effective, answering) : null);
  const delivery = answer && deliveryOf(resource, findDelivery);
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
      !isOwn || reports.theirs === undefined || their === undefined
        ? null
        : {
            sourceId: reports.theirs.sourceId,
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
    ...(otherVersions && { otherVersions }),
    ...(waitsFor && { waitsFor }),
  };
}
