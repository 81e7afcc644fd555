import { z } from 'zod';
import type { Connection } from '@/lib/observation/connection';
import { connectionKinds, connectivityStates } from '@/lib/observation/connection';
import { vantages } from '@/lib/observation/vantage';
import type { ReportedConnections } from '@/lib/view-model/client/find-connections';

const epochMs = z.number();

const connection = z.object({
  id: z.string(),
  kind: z.enum(connectionKinds),
  target: z.string(),
  channels: z.array(z.string()),
  state: z.enum(connectivityStates),
  since: epochMs,
  isSinceFirstPoll: z.literal(true).optional(),
  failingSince: epochMs.optional(),
  lastError: z.string().optional(),
  cluster: z.string().optional(),
  locality: z.object({ region: z.string(), zone: z.string(), subZone: z.string() }).optional(),
  localAddresses: z.array(z.string()).optional(),
  figures: z
    .object({
      callsStarted: z.number(),
      callsSucceeded: z.number(),
      callsFailed: z.number(),
      lastCallStartedAt: epochMs.nullable(),
      openStreams: z.number().nullable(),
      callsPerSecond: z.number().nullable(),
    })
    .optional(),
});

/** What a permalink stores of the connections of its client. */
export const storedConnections = z.object({
  sourceId: z.string(),
  vantage: z.enum(vantages),
  freshness: z.enum(['live', 'stale', 'gone']),
  reason: z.string(),
  changedAt: epochMs,
  countedAt: epochMs.nullable(),
  connections: z.array(connection),
  serverAddresses: z.array(z.string()),
});
export type StoredConnections = z.infer<typeof storedConnections>;

export function toStoredConnections(reported: ReportedConnections): StoredConnections {
  return storedConnections.parse(reported);
}

export function readStoredConnections({ connections, ...stored }: StoredConnections): ReportedConnections {
  return { ...stored, connections: connections satisfies readonly Connection[] };
}
