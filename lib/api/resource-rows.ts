import { z } from 'zod';
import { clientStatus, configStatus, side, time } from './answer-fields';

export const errorState = z.object({
  details: z.string(),
  versionInfo: z.string(),
  lastUpdateAttempt: time.nullable(),
  failedHash: z.string().nullable(),
});

const stage = z.enum(['active', 'warming', 'draining']);

/** One resource of one client as the client reports it, with the report of the control plane. */
export const resourceRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  clientStatus,
  configStatus,
  lastUpdated: time.nullable(),
  errorState: errorState.nullable(),
  hash: z.string().nullable(),
  sizeBytes: z.number().int().nullable(),
  isStatic: z.boolean(),
  /** The error of a resource that stays in use (gRFC A88); absent: none is known. */
  ambientError: z.object({ code: z.string(), details: z.string(), since: time }).optional(),
  /** The client uses the v2 API; absent: v3. */
  apiVersion: z.literal('v2').optional(),
  /** The name that the server uses, if the client requested an alias. */
  canonicalName: z.string().optional(),
  /** Envoy only: the resource is not in use yet, or not for new connections; absent: in use, or not reported. */
  stage: stage.optional(),
  /** Set only on whole-type rows (empty name). Absent if the control plane does not report nonces. */
  nonces: z.object({ sent: z.string(), acked: z.string() }).optional(),
  /** Further versions that Envoy holds; absent: none. */
  otherVersions: z
    .array(
      z.object({
        stage,
        versionInfo: z.string(),
        lastUpdated: time.nullable(),
        hash: z.string().nullable(),
        sizeBytes: z.number().int().nullable(),
      }),
    )
    .optional(),
  changedAt: time,
  /** The source of clientStatus, version and hash. */
  sourceId: z.string(),
  side,
  /** The report of the control plane; null: there is none. */
  controlPlane: z
    .object({ sourceId: z.string(), versionInfo: z.string(), hash: z.string().nullable(), changedAt: time })
    .nullable(),
});

export type ResourceRowJson = z.infer<typeof resourceRow>;
