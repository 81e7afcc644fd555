/** GET churn: what was sent between two moments, and what of it changed. */
import * as z from 'zod';
import { time } from '../fields/answer-fields';
import { described, epochTime, textParameter, typeParameter } from '../fields/query-fields';

const count = z.number().int();

export const churnQuery = z.strictObject({
  from: epochTime('ISO 8601. Default: an hour before the end.'),
  to: epochTime('ISO 8601. Default: now.'),
  type: described(typeParameter.optional(), 'Type URL, or a short name as in CDS. Default: all.'),
  client: described(textParameter.optional(), 'Id of the client. Default: all.'),
});

const churnType = z.object({
  typeUrl: z.string(),
  service: z.string(),
  bytes: z.number(),
  responses: count,
  /** Oldest first, in epoch milliseconds; empty buckets are left out. */
  buckets: z.array(z.object({ at: z.number(), bytes: z.number(), responses: count })),
});

const churnResource = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  changes: count,
  /** Different contents, at most 64. */
  contents: count,
  /** Changes back to an earlier content. */
  returns: count,
  lastAt: time,
  /** Oldest first, in epoch milliseconds; empty buckets are left out. */
  buckets: z.array(z.object({ at: z.number(), changes: count })),
});

const churnServer = z.object({
  typeUrl: z.string(),
  service: z.string(),
  /** The control plane as it identifies itself, or the source that observed the response. */
  server: z.string(),
  responses: count,
  /** Responses with a new version and the content that the client already had. */
  unchangedResponses: count,
  unchangedBytes: z.number(),
  unchangedClients: count,
  versions: count,
  /** Versions without new content for any client. */
  emptyVersions: count,
  lastVersion: z.string(),
  lastAt: time,
});

export const churn = z.object({
  from: time,
  until: time,
  bucketMs: count,
  /** The types in their fixed order. */
  types: z.array(churnType),
  /** The resources with the most changes, at most 200. */
  resources: z.array(churnResource),
  resourceCount: count,
  /** The responses without new content by server, most first. */
  unchanged: z.array(churnServer),
  read: count,
  /** Sentences on what may be missing. */
  notes: z.array(z.string()),
});

export type Churn = z.infer<typeof churn>;
export type ChurnResource = z.infer<typeof churnResource>;
export type ChurnServer = z.infer<typeof churnServer>;
export type ChurnQuery = z.infer<typeof churnQuery>;
