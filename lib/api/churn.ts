/**
 * GET churn: what was sent between two moments, what of it changed, and what did not. Times are ISO 8601 in UTC. Pages
 * import types only.
 */
import { z } from 'zod';
import { described, epochTime, textParameter, typeParameter } from './query-fields';
import { time } from './words';

const count = z.number().int();

export const churnQuery = z.strictObject({
  from: epochTime('ISO 8601. Default: an hour before the end.'),
  to: epochTime('ISO 8601. Default: now.'),
  type: described(typeParameter.optional(), 'Type URL, or a short name as in CDS. Default: all.'),
  client: described(textParameter.optional(), 'Id of the client. Default: all.'),
});

export const churnType = z.object({
  typeUrl: z.string(),
  service: z.string(),
  bytes: z.number(),
  responses: count,
  /** Oldest first, epoch milliseconds; slices in which nothing was sent are left out. */
  buckets: z.array(z.object({ at: z.number(), bytes: z.number(), responses: count })),
});

export const churnResource = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** From one content to another one. */
  changes: count,
  /** Different ones, at most 64. */
  contents: count,
  /** Changes back to a content that it had before. */
  returns: count,
  lastAt: time,
});

export const churnServer = z.object({
  typeUrl: z.string(),
  service: z.string(),
  /** The control plane that sent it, as it identifies itself, or the source that saw it. */
  server: z.string(),
  responses: count,
  /** With a new version and the content that the client held. */
  unchangedResponses: count,
  unchangedBytes: z.number(),
  unchangedClients: count,
  versions: count,
  /** Versions that brought nobody anything new. */
  emptyVersions: count,
  lastVersion: z.string(),
  lastAt: time,
});

export const churn = z.object({
  from: time,
  until: time,
  bucketMs: count,
  /** In the fixed order of types. */
  types: z.array(churnType),
  /** Those that changed most, at most 200. */
  resources: z.array(churnResource),
  /** How many changed at all. */
  resourceCount: count,
  /** Where responses brought nothing new, most first. */
  unchanged: z.array(churnServer),
  /** Observations that were read. */
  read: count,
  /** What may be missing, in words. */
  notes: z.array(z.string()),
});

export type Churn = z.infer<typeof churn>;
export type ChurnType = z.infer<typeof churnType>;
export type ChurnResource = z.infer<typeof churnResource>;
export type ChurnServer = z.infer<typeof churnServer>;
export type ChurnQuery = z.infer<typeof churnQuery>;
