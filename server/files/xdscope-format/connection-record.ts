import * as z from 'zod';
import { type Connection, connectionKinds, reportedStates } from '@/lib/observation/connection';

/** The range of Date. */
const moment = z.number().min(-8.64e15).max(8.64e15);
const count = z.number().int().nonnegative();
const ratio = z.number().nonnegative().finite();
const texts = z.array(z.string());

const figures = z.object({
  callsStarted: count,
  callsSucceeded: count,
  callsFailed: count,
  lastCallStartedAt: moment.nullable(),
  openStreams: count.nullable(),
  callsPerSecond: ratio.nullable(),
  openConnections: count.optional(),
  ofHost: z
    .object({
      openConnections: count.nullable(),
      connections: count.nullable(),
      failedConnections: count.nullable(),
      timeouts: count.nullable(),
      successRate: ratio.nullable(),
    })
    .optional(),
});

/** A connection in a file or permalink. */
export const connectionRecord = z.object({
  id: z.string(),
  kind: z.enum(connectionKinds),
  target: z.string(),
  channels: texts,
  state: z.enum(reportedStates),
  since: moment,
  isSinceFirstPoll: z.literal(true).optional(),
  failingSince: moment.optional(),
  lastError: z.string().optional(),
  name: z.string().optional(),
  cluster: z.string().optional(),
  locality: z.object({ region: z.string(), zone: z.string(), subZone: z.string() }).optional(),
  localAddresses: texts.optional(),
  figures: figures.optional(),
}) satisfies z.ZodType<Connection>;
