import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceKey, ResourceState } from '../../observation/observation';
import type { ResourceRow } from '../../observation/resource-row';
import { sortInSteps } from '../../steps/sort-in-steps';
import { itemsPerStep, type Steps } from '../../steps/steps';
import { formatResourceType } from '../../xds/resource-type';
import { chooseReport, type FreshnessOf } from './choose-report';

/** Rows by the states they were built from. Most rows are the same at the next moment. */
export type KnownRows = WeakMap<
  ResourceState,
  { readonly their: ResourceState | undefined; readonly row: ResourceRow }
>;

/**
 * Builds a client's rows, in the fixed order of types, then by name, from the client's report and the control plane's. A
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
  const own = chooseReport(client, 'client', freshnessOf);
  const theirs = chooseReport(client, 'control-plane', freshnessOf);
  // Reports are mostly sorted within a type, so that rows by type are fast to sort.
  const byType = new Map<string, ResourceRow[]>();
  let count = 0;
  const add = (row: ResourceRow): boolean => {
    const group = byType.get(row.typeUrl);
    if (group === undefined) byType.set(row.typeUrl, [row]);
    else group.push(row);
    count += 1;
    return count % itemsPerStep === 0;
  };
  for (const state of own?.resources.values() ?? []) {
    if (add(knownRow(known, state, own, theirs))) yield;
  }
  for (const state of theirs?.resources.values() ?? []) {
    if (own?.resources.has(resourceKey(state)) === true) continue;
    if (add(knownRow(known, state, theirs, undefined))) yield;
  }
  return yield* sortInSteps([...byType.values()].flat(), compareResourceKeys);
}

function knownRow(
  known: KnownRows | undefined,
  state: ResourceState,
  report: ClientReport | undefined,
  theirs: ClientReport | undefined,
): ResourceRow {
  if (known === undefined) return buildResourceRow(state, report, theirs);
  const their = theirs?.resources.get(resourceKey(state));
  const found = known.get(state);
  if (
    found !== undefined &&
    found.their === their &&
    found.row.sourceId === report?.sourceId &&
    found.row.side === report.side &&
    found.row.controlPlane?.sourceId === (their && theirs?.sourceId)
  ) {
    return found.row;
  }
  const row = buildResourceRow(state, report, theirs);
  known.set(state, { their, row });
  return row;
}

/** Returns a finder for single rows, which returns undefined if neither side reports the resource. */
export function resourceRowFinder(
  client: ClientState,
  freshnessOf: FreshnessOf,
): (key: ResourceKey) => ResourceRow | undefined {
  const own = chooseReport(client, 'client', freshnessOf);
  const theirs = chooseReport(client, 'control-plane', freshnessOf);
  return (key) => {
    const ownState = own?.resources.get(resourceKey(key));
    if (ownState !== undefined) return buildResourceRow(ownState, own, theirs);
    const theirState = theirs?.resources.get(resourceKey(key));
    return theirState === undefined ? undefined : buildResourceRow(theirState, theirs, undefined);
  };
}

function buildResourceRow(
  state: ResourceState,
  report: ClientReport | undefined,
  theirs: ClientReport | undefined,
): ResourceRow {
  const their = theirs?.resources.get(resourceKey(state));
  return {
    ...state,
    service: formatResourceType(state.typeUrl),
    configStatus: their?.configStatus ?? state.configStatus,
    sourceId: report?.sourceId ?? '',
    side: report?.side ?? 'client',
    controlPlane:
      theirs === undefined || their === undefined
        ? null
        : {
            sourceId: theirs.sourceId,
            versionInfo: their.versionInfo,
            hash: their.hash,
            changedAt: their.changedAt,
          },
  };
}
