import type { Connection, ConnectionChanges } from '@/lib/observation/connection';

/** undefined if nothing but figures and times differs. Without `known`, the changes are complete. */
export function compareConnections(
  known: ReadonlyMap<string, Connection> | undefined,
  now: readonly Connection[],
): ConnectionChanges | undefined {
  if (known === undefined) return { connections: now, endedIds: [], isComplete: true };
  const current = new Set(now.map(({ id }) => id));
  const endedIds = [...known.keys()].filter((id) => !current.has(id));
  const connections = now.filter((each) => {
    const before = known.get(each.id);
    return before !== each && (before === undefined || factsOf(before) !== factsOf(each));
  });
  return connections.length + endedIds.length === 0 ? undefined : { connections, endedIds };
}

/** A failed attempt that has the error of the one before is not a change. */
const facts = [
  ...(['target', 'channels', 'state', 'lastError', 'isManagementServer', 'mayBeManagementServer'] as const),
  ...(['name', 'cluster', 'locality', 'localAddresses'] as const),
];

function factsOf(connection: Connection): string {
  return JSON.stringify(facts.map((name) => connection[name]));
}
