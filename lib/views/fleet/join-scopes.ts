import { itemsPerStep, runSteps, type Steps } from '../../cooperative/steps';
import type { Side, Vantage } from '../../observation/observation';
import { isPolledVantage } from '../../observation/vantage';
import { isProbeScope } from '../../xds/client-scope';
import { isImportedClient } from '../client/is-imported-client';

/** The fields of a client that identify its process. */
export interface ScopedClient {
  readonly id: string;
  readonly nodeId: string;
  readonly scope: string;
  readonly reports: readonly { readonly vantage: Vantage; readonly side: Side }[];
}

export type ScopeLink =
  /** The whole process, as control planes and load reports identify it, which have no scopes. */
  | { readonly kind: 'whole'; readonly scopeIds: readonly string[] }
  /** One XdsClient of the process. `scopeIds` are all of them. `wholeId` is absent if no source reports the whole. */
  | { readonly kind: 'scope'; readonly wholeId?: string; readonly scopeIds: readonly string[] };

/**
 * gRFC A71: a process has an XdsClient for each of its targets, with its own stream and cache. CSDS distinguishes them by
 * client_scope, and a tap by the listener of the target; control planes and load reports have the node only. Two scopes
 * may hold different versions of a resource. Therefore the node and its scopes remain separate clients, which are
 * linked. A node id that CSDS reports without a scope as well is not linked.
 */
export function joinScopes(clients: Iterable<ScopedClient>): ReadonlyMap<string, ScopeLink> {
  return runSteps(joinScopesInSteps(clients));
}

/** Joins scopes like joinScopes, in steps. Precondition: `clients` does not change between steps. */
export function* joinScopesInSteps(clients: Iterable<ScopedClient>): Steps<ReadonlyMap<string, ScopeLink>> {
  const byNode = new Map<string, ScopedClient[]>();
  let visited = 0;
  for (const client of clients) {
    visited += 1;
    if (visited % itemsPerStep === 0) yield;
    // Our probes do not belong to the process whose node id they use.
    if (client.reports.some(({ vantage }) => vantage === 'probe')) continue;
    // A client of a file is never a part of the process that lives under the same node id.
    const key = `${isImportedClient(client) ? 'file' : 'live'} ${client.nodeId}`;
    const known = byNode.get(key);
    if (known === undefined) byNode.set(key, [client]);
    else known.push(client);
  }
  const links = new Map<string, ScopeLink>();
  for (const group of byNode.values()) {
    visited += 1;
    if (visited % itemsPerStep === 0) yield;
    if (group.length === 1) continue;
    const whole = group.find(({ scope }) => scope === '');
    const scopeIds = group.filter(isScope).map(({ id }) => id);
    if (scopeIds.length === 0 || (whole !== undefined && isReportedByCsds(whole))) continue;
    scopeIds.sort();
    if (whole !== undefined) links.set(whole.id, { kind: 'whole', scopeIds });
    else if (scopeIds.length === 1) continue;
    for (const id of scopeIds)
      links.set(id, { kind: 'scope', scopeIds, ...(whole && { wholeId: whole.id }) });
  }
  return links;
}

/** Excludes the generated scopes of processes that share a node id, and of probes. */
function isScope({ scope, reports }: ScopedClient): boolean {
  const isGenerated = scope === '' || isProbeScope(scope) || /\(duplicate \d+\)$/.test(scope);
  return !isGenerated && reports.some(({ side }) => side === 'client');
}

function isReportedByCsds({ reports }: ScopedClient): boolean {
  return reports.some(({ vantage, side }) => isPolledVantage(vantage) && side === 'client');
}
