import { mergeTypeVersions } from '@/lib/observation/acked-version';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { Emission } from '../../observe';
import type { ConfigObservation } from './copy-bodies';
import type { KnownClient, KnownClients } from './known-clients';

/** The news of a complete report, and the ids of the clients that it names. */
export interface ReportChanges {
  readonly emissions: readonly (Emission & { readonly observation: ConfigObservation })[];
  readonly clientIds: readonly string[];
}

/**
 * Computes `next` of compareAnswers from its news alone, on the side that did not see the answer. Takes time in
 * proportion to the news. MUTATES the rows of the clients that changed; `known` itself is unchanged.
 */
export function applyChanges(known: KnownClients, { emissions, clientIds }: ReportChanges): KnownClients {
  const changed = new Map<string, KnownClient>();
  for (const { observation } of emissions) {
    if (observation.kind !== 'client-config-changed') continue;
    const { clientId, node, scope, side } = observation;
    const before = known.get(clientId);
    const rows = before?.side === side ? rowsOf(before) : new Map<string, ResourceState>();
    for (const row of observation.changed) rows.set(resourceKey(row), row);
    for (const key of observation.removed) rows.delete(resourceKey(key));
    const versions = before?.side === side ? before.typeVersions : undefined;
    const typeVersions = mergeTypeVersions(versions, observation.typeVersions ?? []);
    changed.set(clientId, { node, scope, side, rows, ...(typeVersions.length > 0 && { typeVersions }) });
  }
  const next = new Map<string, KnownClient>();
  for (const clientId of clientIds) {
    const client = changed.get(clientId) ?? known.get(clientId);
    if (client !== undefined) next.set(clientId, client);
  }
  return next;
}

/** Only this file and compareAnswers create rows, as Maps. */
function rowsOf({ rows }: KnownClient): Map<string, ResourceState> {
  return rows instanceof Map ? rows : new Map(rows);
}
