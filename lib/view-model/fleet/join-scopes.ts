import type { Side, Vantage } from '../../observation/observation';
import { isPolledVantage } from '../../observation/vantage';
import { itemsPerStep, runSteps, type Steps } from '../../steps/steps';

/** What of a client reports which process it is of. */
export interface ScopedClient {
  readonly id: string;
  readonly nodeId: string;
  readonly scope: string;
  readonly reports: readonly { readonly vantage: Vantage; readonly side: Side }[];
}

/** How a client belongs to others of the same process. */
export type ScopeLink =
  /** All of the process, as its streams and its control plane tell it: they know no scopes. */
  | { readonly kind: 'whole'; readonly scopeIds: readonly string[] }
  /** One XdsClient of it, as CSDS reports it. */
  | { readonly kind: 'scope'; readonly wholeId: string };

/**
 * gRFC A71: a process has an XdsClient for each of its targets, with a stream and a cache of its own. CSDS reports them
 * apart by client_scope; on the wire, to a control plane and in load reports there is only the node. Which stream is
 * whose nobody says, and two scopes may hold the same resource at different versions: so what the wire reports the
 * node and what CSDS reports its scopes stay clients of their own, and are linked. A node id that CSDS reports without a
 * scope, too, is not linked: it is a client by itself.
 */
export function joinScopes(clients: Iterable<ScopedClient>): ReadonlyMap<string, ScopeLink> {
  return runSteps(joinScopesInSteps(clients));
}

/** The same in steps, between which `clients` must not change. */
export function* joinScopesInSteps(clients: Iterable<ScopedClient>): Steps<ReadonlyMap<string, ScopeLink>> {
  const byNode = new Map<string, ScopedClient[]>();
  let looked = 0;
  for (const client of clients) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    const key = `${originOf(client)} ${client.nodeId}`;
    const known = byNode.get(key);
    if (known === undefined) byNode.set(key, [client]);
    else known.push(client);
  }
  const links = new Map<string, ScopeLink>();
  for (const group of byNode.values()) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    if (group.length === 1) continue;
    const whole = group.find(({ scope }) => scope === '');
    const scopeIds = group.filter(isScope).map(({ id }) => id);
    if (whole === undefined || scopeIds.length === 0 || isReportedByCsds(whole)) continue;
    links.set(whole.id, { kind: 'whole', scopeIds: scopeIds.sort() });
    for (const id of scopeIds) links.set(id, { kind: 'scope', wholeId: whole.id });
  }
  return links;
}

/** Clients without those that tell the same again for all scopes at once. */
export function countClients(clients: readonly ScopedClient[]): number {
  const links = joinScopes(clients);
  return clients.filter(({ id }) => links.get(id)?.kind !== 'whole').length;
}

/** Two processes that share a node id are distinguished by a made-up scope: that is none. */
function isScope(client: ScopedClient): boolean {
  return client.scope !== '' && !/\(duplicate \d+\)$/.test(client.scope) && isReportedByCsds(client);
}

function isReportedByCsds({ reports }: ScopedClient): boolean {
  return reports.some(({ vantage, side }) => isPolledVantage(vantage) && side === 'client');
}

/** Ids of what came in a file begin with an x: it is never of the process that lives under the same node id. */
function originOf({ id }: ScopedClient): 'file' | 'live' {
  return id.startsWith('x') ? 'file' : 'live';
}
