import { z } from 'zod';
import { clientStatus, configStatus, side, time } from './words';

export const errorState = z.object({
  details: z.string(),
  versionInfo: z.string(),
  lastUpdateAttempt: time.nullable(),
  failedHash: z.string().nullable(),
});

const stage = z.enum(['active', 'warming', 'draining']);

/** One resource of one client: the client's word, and beside it the control plane's. */
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
  /** Trouble of a resource that is in use all the same (gRFC A88); not there: none that is known. */
  ambientError: z.object({ code: z.string(), details: z.string(), since: time }).optional(),
  /** It came in the v2 API; not there: v3. */
  apiVersion: z.literal('v2').optional(),
  /** The name that the server gave it, where it was asked for by an alias. */
  canonicalName: z.string().optional(),
  /** Of Envoy: it is not in use yet, or not for new connections; not there: it is in use, or no source reported. */
  stage: stage.optional(),
  /** Of a row that is about a whole type (its name is empty), as istiod's books have them; not there: not reported. */
  nonces: z.object({ sent: z.string(), acked: z.string() }).optional(),
  /** Versions that Envoy holds beside this one; not there: none. */
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
  /** Which source reports clientStatus, version and hash. */
  sourceId: z.string(),
  side,
  /** The control plane's word, where one spoke beside the client. */
  controlPlane: z
    .object({ sourceId: z.string(), versionInfo: z.string(), hash: z.string().nullable(), changedAt: time })
    .nullable(),
});

export type ResourceRowJson = z.infer<typeof resourceRow>;
