import type { Connection, ConnectionChanges } from '@/lib/observation/connection';
import type { ConnectionsChanged } from '@/lib/observation/observation';

/** Limit of the connections in one observation. */
const connectionsPerPart = 500;

/** An observation of many connections is several, of which the first one is complete if all of them are. */
export function* connectionParts(
  base: Omit<ConnectionsChanged, 'kind' | keyof ConnectionChanges>,
  { connections, endedIds, isComplete }: ConnectionChanges,
): Generator<ConnectionsChanged> {
  for (let from = 0; from === 0 || from < connections.length; from += connectionsPerPart) {
    const isFirst = from === 0;
    yield {
      ...{ ...base, kind: 'connections-changed' },
      connections: connections.slice(from, from + connectionsPerPart),
      endedIds: isFirst ? endedIds : [],
      ...(isFirst && isComplete === true && { isComplete }),
    };
  }
}

/** By id, those that have figures. */
export function figuresOf(
  connections: ReadonlyMap<string, Connection>,
): Map<string, NonNullable<Connection['figures']>> {
  const figures = new Map<string, NonNullable<Connection['figures']>>();
  for (const [id, each] of connections) if (each.figures !== undefined) figures.set(id, each.figures);
  return figures;
}
