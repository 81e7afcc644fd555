import { resourceKey } from '@/lib/observation/client-state';
import { serverScope } from '@/lib/xds/client-scope';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { LDS } from '@/lib/xds/resource-type';
import { identifyClient } from '../../client-id';
import type { ReportedClient } from '../../codec/codec';
import type { KnownClients } from './known-clients';

interface AssignedClients {
  readonly clients: ReadonlyMap<string, ReportedClient>;
  /** Node ids, with scopes, that several ClientConfigs have. */
  readonly duplicates: readonly string[];
}

/**
 * A client is its process and scope, where the listener that it subscribes to stands for a target. If one answer has
 * several with the same (two processes behind one control plane, started from one template), the first keeps its name
 * and the others get the scopes "(duplicate 2)" and so on. Their rows decide which is which, because an answer may list
 * them in any order.
 */
export function assignClientIds(
  reported: readonly ReportedClient[],
  previous: KnownClients,
): AssignedClients {
  const groups = new Map<string, ReportedClient[]>();
  const known = reported.some(isOfTarget) ? idsOfTargets(previous) : new Map<string, string>();
  for (const client of reported) {
    const { node, scope } = client;
    let clientId = known.get(targetKey(client)) ?? identifyClient(node, scope, findListener(client));
    const [other] = groups.get(clientId) ?? [];
    // Two targets can have one listener: "xds:svc" and "xds:///svc".
    if (other !== undefined && other.scope !== scope) clientId = identifyClient(node, scope, scope);
    const group = groups.get(clientId);
    if (group === undefined) groups.set(clientId, [client]);
    else group.push(client);
  }
  const clients = new Map<string, ReportedClient>();
  const duplicates: string[] = [];
  for (const [clientId, group] of groups) {
    const [only] = group;
    if (only === undefined) continue;
    if (group.length === 1) {
      clients.set(clientId, only);
      continue;
    }
    const { node, scope } = only;
    duplicates.push(scope === '' ? node.id : `${node.id} (${scope})`);
    const remaining = [...group];
    for (let slot = 1; slot <= group.length; slot++) {
      const slotScope = slot === 1 ? scope : `${scope} (duplicate ${slot})`.trim();
      const slotId = slot === 1 ? clientId : identifyClient(node, slotScope);
      const client = takeMostAlike(remaining, slotId, previous);
      if (client !== undefined) clients.set(slotId, { ...client, scope: slotScope });
    }
  }
  return { clients, duplicates };
}

function isOfTarget({ scope }: Pick<ReportedClient, 'scope'>): boolean {
  return scope !== '' && scope !== serverScope;
}

/**
 * The listener of a target. Its name depends on templates in the bootstrap, which no source reports. A client that has
 * none yet, or no longer, is identified by its target.
 */
function findListener(client: ReportedClient): string | undefined {
  if (!isOfTarget(client)) return undefined;
  const [listener, ...others] = client.resources.filter(({ typeUrl }) => typeUrl === LDS.typeUrl);
  return others.length === 0 && listener !== undefined ? normaliseResourceName(listener.name) : undefined;
}

/** A target keeps its id while it is reported, whatever its listeners. */
function idsOfTargets(previous: KnownClients): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [clientId, client] of previous) if (isOfTarget(client)) ids.set(targetKey(client), clientId);
  return ids;
}

function targetKey({ node, scope }: Pick<ReportedClient, 'node' | 'scope'>): string {
  return `${node.id}\u0000${scope}`;
}

/** Comparing duplicates is quadratic: more of them keep the order of the answer. */
const comparedDuplicates = 32;

/** Removes and returns the client whose rows agree most with what was known under this id. MUTATES `remaining`. */
function takeMostAlike(
  remaining: ReportedClient[],
  clientId: string,
  previous: KnownClients,
): ReportedClient | undefined {
  const known = previous.get(clientId);
  if (known === undefined || remaining.length > comparedDuplicates) return remaining.shift();
  let best = 0;
  let bestLikeness = -1;
  for (const [index, { resources, node }] of remaining.entries()) {
    let likeness = JSON.stringify(node) === JSON.stringify(known.node) ? resources.length + 1 : 0;
    for (const resource of resources) {
      const row = known.rows.get(resourceKey(resource));
      if (row === undefined) continue;
      likeness += 1;
      if (row.hash === resource.hash && row.lastUpdated === resource.lastUpdated) likeness += 1;
    }
    if (likeness > bestLikeness) {
      best = index;
      bestLikeness = likeness;
    }
  }
  return remaining.splice(best, 1)[0];
}
