import type { ConnectionChanges } from '@/lib/observation/connection';
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
