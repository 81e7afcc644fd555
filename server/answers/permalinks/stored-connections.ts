import * as z from 'zod';
import type { Connection } from '@/lib/observation/connection';
import { connection } from '@/lib/observation/connection-schemas';
import { packFigures } from '@/lib/observation/packed-figures';
import { vantages } from '@/lib/observation/vantage';
import type { ReportedConnections } from '@/lib/views/client/find-connections';
import { addFiguresOfPoll } from '@/lib/views/connections/connection-figures';

const epochMs = z.number();

/** The part of the connections of its client that a permalink stores. */
export const storedConnections = z.object({
  sourceId: z.string(),
  vantage: z.enum(vantages),
  freshness: z.enum(['live', 'stale', 'gone']),
  reason: z.string(),
  changedAt: epochMs,
  countedAt: epochMs.optional(),
  connections: z.array(connection),
  serverAddresses: z.array(z.string()),
});
type StoredConnections = z.infer<typeof storedConnections>;

export function toStoredConnections(reported: ReportedConnections): StoredConnections {
  const { connections, figures, ...stored } = reported;
  return storedConnections.parse({ ...stored, connections: connections.map(addFiguresOfPoll(figures)) });
}

export function readStoredConnections({ connections, ...stored }: StoredConnections): ReportedConnections {
  return {
    ...stored,
    connections: connections satisfies readonly Connection[],
    figures: packFigures(connections),
  };
}
