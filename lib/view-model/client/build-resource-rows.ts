import type { ResourceRow } from '../../api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '../../format/iso-time';
import type { ClientReport, ClientState } from '../../observation/client-state';
import { resourceKey } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceKey, ResourceState } from '../../observation/observation';
import { formatResourceType } from '../../xds/resource-type';
import { chooseReport, type FreshnessOf } from './choose-report';

/**
 * A client's resources as rows, in the fixed order of types and then by name: the client's own word, and the
 * control plane's beside it. A resource that only the control plane names is a row of its own with side
 * "control-plane": it was sent (or is about to be), and nobody knows whether the client runs it.
 */
export function buildResourceRows(client: ClientState, freshnessOf: FreshnessOf): ResourceRow[] {
  return collectResourceRows(client, freshnessOf).sort(compareResourceKeys);
}

/** The same rows in no particular order, for who only counts. */
export function collectResourceRows(client: ClientState, freshnessOf: FreshnessOf): ResourceRow[] {
  const own = chooseReport(client, 'client', freshnessOf);
  const theirs = chooseReport(client, 'control-plane', freshnessOf);
  const rows: ResourceRow[] = [];
  for (const state of own?.resources.values() ?? []) rows.push(buildResourceRow(state, own, theirs));
  for (const state of theirs?.resources.values() ?? []) {
    if (own?.resources.has(resourceKey(state)) !== true)
      rows.push(buildResourceRow(state, theirs, undefined));
  }
  return rows;
}

/** Single rows anew, after a change; the finder answers undefined when neither side names the resource any longer. */
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
    typeUrl: state.typeUrl,
    service: formatResourceType(state.typeUrl),
    name: state.name,
    versionInfo: state.versionInfo,
    clientStatus: state.clientStatus,
    configStatus: their?.configStatus ?? state.configStatus,
    lastUpdated: formatIsoTimeOrNull(state.lastUpdated),
    errorState:
      state.errorState === null
        ? null
        : {
            ...state.errorState,
            lastUpdateAttempt: formatIsoTimeOrNull(state.errorState.lastUpdateAttempt),
          },
    hash: state.hash,
    sizeBytes: state.sizeBytes,
    isStatic: state.isStatic,
    ...marksOf(state),
    changedAt: formatIsoTime(state.changedAt),
    sourceId: report?.sourceId ?? '',
    side: report?.side ?? 'client',
    controlPlane:
      theirs === undefined || their === undefined
        ? null
        : {
            sourceId: theirs.sourceId,
            versionInfo: their.versionInfo,
            hash: their.hash,
            changedAt: formatIsoTime(their.changedAt),
          },
  };
}

/** Rows are many, and few have any of these. */
function marksOf({
  ambientError,
  apiVersion,
  canonicalName,
}: ResourceState): Pick<ResourceRow, 'ambientError' | 'apiVersion' | 'canonicalName'> {
  return {
    ...(ambientError && { ambientError: { ...ambientError, since: formatIsoTime(ambientError.since) } }),
    ...(apiVersion && { apiVersion }),
    ...(canonicalName && { canonicalName }),
  };
}
