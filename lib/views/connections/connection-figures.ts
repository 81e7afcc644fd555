import type { Connection, ConnectionFigures } from '../../observation/connection';
import { type PackedFigures, unpackFigures } from '../../observation/packed-figures';

export type AddFigures = (connection: Connection) => Connection;

/** If `figures` is null, each connection keeps the figures of its own last change. */
export function addFiguresOfPoll(figures: PackedFigures | null): AddFigures {
  const current = figures === null ? undefined : unpackFigures(figures);
  return (each) => addFigures(each, current?.get(each.id));
}

/**
 * Replaces the figures by the current ones. If there are none, open connections, open streams and the rate, which hold
 * only for the time of the recorded change, are left out.
 */
function addFigures(connection: Connection, current: ConnectionFigures | undefined): Connection {
  if (current !== undefined) return { ...connection, figures: current };
  const { figures, ...rest } = connection;
  if (figures === undefined) return rest;
  const { openConnections: _, ...counts } = figures;
  return { ...rest, figures: { ...counts, callsPerSecond: null, openStreams: null } };
}
