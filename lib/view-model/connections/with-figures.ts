import type { Connection, ConnectionFigures } from '../../observation/connection';
import { type PackedFigures, unpackFigures } from '../../observation/packed-figures';

/** The connections with the figures of the newest poll. `figures`: null: each has those of its own last change. */
export function withFigures(
  connections: readonly Connection[],
  figures: PackedFigures | null,
): readonly Connection[] {
  const current = figures === null ? undefined : unpackFigures(figures);
  return connections.map((each) => addFigures(each, current?.get(each.id)));
}

/** What was open when a change was recorded, and its rate, are not those of the moment. */
function addFigures(connection: Connection, current: ConnectionFigures | undefined): Connection {
  if (current !== undefined) return { ...connection, figures: current };
  const { figures, ...rest } = connection;
  if (figures === undefined) return rest;
  const { openConnections: _, ...counts } = figures;
  return { ...rest, figures: { ...counts, callsPerSecond: null, openStreams: null } };
}
