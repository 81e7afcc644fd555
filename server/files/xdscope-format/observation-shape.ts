import * as z from 'zod';
import type { ClientReport } from '@/lib/observation/client-state';
import { connection } from '@/lib/observation/connection-schemas';
import { count, epochMs, node, side, vantage } from '@/lib/observation/field-schemas';
import type { NodeInfo } from '@/lib/observation/observation';
import { declaredSource, observation, typeVersions } from '@/lib/observation/observation-schemas';
import { resourceState } from '@/lib/observation/resource-schemas';
import type { ResourceState } from '@/lib/observation/resource-state';
import { testClient } from '@/lib/observation/test-client-schemas';

/** A source, which precedes its observations and states in the file. */
export const fileSource = declaredSource.extend({ sourceId: z.string() });
export type FileSource = z.infer<typeof fileSource>;

/** Sequence number in the log of the export, which gaps refer to. */
export const fileObservation = observation.and(z.object({ seq: count }));

/** Some rows of one source's report on a client at the beginning of the file. */
export interface FileState {
  readonly clientId: string;
  readonly node: NodeInfo;
  readonly scope: string;
  readonly report: Omit<ClientReport, 'resources'>;
  readonly rows: readonly ResourceState[];
}

export const fileState: z.ZodType<FileState> = z.object({
  clientId: z.string(),
  node,
  scope: z.string(),
  report: z.object({
    sourceId: z.string(),
    vantage,
    originalVantage: vantage.optional(),
    side,
    firstSeenAt: epochMs,
    lastChangedAt: epochMs,
    goneAt: epochMs.nullable(),
    goneReason: z.string(),
    typeVersions: typeVersions.optional(),
    connections: z.array(connection).optional(),
    testClient: testClient.optional(),
    clock: z.object({ newestUpdate: epochMs, fromMs: z.number(), toMs: z.number().nullable() }).optional(),
  }) satisfies z.ZodType<Omit<ClientReport, 'resources'>>,
  rows: z.array(resourceState),
});
