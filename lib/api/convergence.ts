/**
 * GET convergence and GET convergence/recent: who has taken a version of a type or a content of a resource, and how
 * long that took. Times are ISO 8601 in UTC, durations milliseconds; null is "not reported". Pages import types only.
 */
import { z } from 'zod';
import { stuckKinds, uncountedKinds } from '../convergence/decide-client';
import { described, epochTime, limit, textParameter, typeParameter } from './query-fields';
import { time } from './words';

const count = z.number().int();
const extent = {
  from: epochTime('ISO 8601: what is older is not read.'),
  to: epochTime('ISO 8601: what was recorded later is left out. Default: now.'),
};

export const convergenceQuery = z.strictObject({
  type: described(typeParameter, 'Type URL, or a short name as in CDS.'),
  resource: described(textParameter.optional(), 'Name of a resource; either this or version is required.'),
  hash: described(
    z
      .string()
      .regex(/^[0-9a-f]{1,64}$/, 'expected the SHA-256 of a body, in hex')
      .optional(),
    'Which content of the resource: SHA-256 of its body. Default: the newest.',
  ),
  version: described(textParameter.optional(), 'The version_info that the server sent.'),
  server: described(
    textParameter.optional(),
    'The server that sent the version. Default: the one that sent it last.',
  ),
  ...extent,
});

export const recentConvergenceQuery = z.strictObject({
  ...extent,
  limit: limit('pushes', { min: 1, max: 100, otherwise: 30 }),
});

export const outcomeKind = z.enum(['accepted', ...stuckKinds, ...uncountedKinds]);

/** A poll reports only between when and when. The same twice: seen as it happened. */
const span = z.object({ fromMs: z.number(), toMs: z.number() });
const step = z.object({ afterMs: z.number(), clients: count });

export const spread = z.object({
  /** Clients that are counted: those that accepted it and those that are stuck. */
  total: count,
  accepted: count,
  /** By what became of them; of those after `missing` none is counted. */
  counts: z.record(outcomeKind, count),
});

export const convergenceSubject = z.object({
  typeUrl: z.string(),
  /** As in "CDS"; the type URL's last part for types without a service. */
  service: z.string(),
  /** A resource's content; null: a version. */
  name: z.string().nullable(),
  hash: z.string().nullable(),
  /** As it was called first. */
  version: z.string(),
  /** The control plane that sent it, as it identifies itself, or the source that saw it; null: not reported. */
  server: z.string().nullable(),
});

export const convergenceClient = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  kind: outcomeKind,
  /** What that means for this client, in words. */
  reason: z.string(),
  /** From the first sight to its ACK; null: it has not accepted. */
  after: span.nullable(),
  at: time.nullable(),
  sentAt: time.nullable(),
  before: z.object({ version: z.string(), hash: z.string().nullable(), since: time }).nullable(),
  /** The error message; empty if there is none. */
  text: z.string(),
  /** Place in the log that shows it. */
  seq: count.nullable(),
});

export const convergence = z.object({
  subject: convergenceSubject,
  /** When it was seen first, anywhere. */
  firstAt: time,
  /** A poll saw it first: it is younger than this, and as old as `firstAt` at least; null: nobody looked before. Not there: seen as it was sent. */
  firstAfter: time.nullable().optional(),
  /** What came later is left out. */
  until: time,
  spread: spread.extend({
    /** Accepted for sure by then. */
    sure: z.array(step),
    /** May have accepted by then, since polls report late. */
    possible: z.array(step),
    percentiles: z.array(
      z.object({
        percent: z.union([z.literal(50), z.literal(95), z.literal(99)]),
        /** Among those that accepted; null: none has. */
        ofAccepted: span.nullable(),
        /** Among all that are counted; null: not reached, since too many are stuck. */
        ofAll: span.nullable(),
      }),
    ),
  }),
  /** Stuck ones first, then the slowest; at most 2,000. */
  clients: z.array(convergenceClient),
  clientsLeftOut: count,
  /** What it changed. */
  names: z.array(z.string()),
  nameCount: count,
  /** Of a resource: its contents, newest first, at most 50. */
  contents: z.array(z.object({ hash: z.string(), version: z.string(), firstAt: time, isThis: z.boolean() })),
  /** Others that use the same word for a version. */
  otherServers: z.array(z.string()),
  /** What may be missing, in words. */
  notes: z.array(z.string()),
});

export const convergencePush = z.object({
  subject: convergenceSubject,
  firstAt: time,
  names: z.array(z.string()),
  nameCount: count,
  /** New version, equal content. */
  isUnchanged: z.boolean(),
  spread,
  /** When half, and when 99 % of all that are counted had accepted; null: not reached. */
  p50: span.nullable(),
  p99: span.nullable(),
});

export const recentConvergence = z.object({
  /** Newest first. */
  items: z.array(convergencePush),
  /** Read back to there. */
  from: time.nullable(),
  until: time,
  notes: z.array(z.string()),
});

export type OutcomeKindReported = z.infer<typeof outcomeKind>;
export type Convergence = z.infer<typeof convergence>;
export type ConvergenceClient = z.infer<typeof convergenceClient>;
export type ConvergenceSubject = z.infer<typeof convergenceSubject>;
export type ConvergencePush = z.infer<typeof convergencePush>;
export type RecentConvergence = z.infer<typeof recentConvergence>;
export type SpreadReported = Convergence['spread'];
export type ConvergenceQuery = z.infer<typeof convergenceQuery>;
export type RecentConvergenceQuery = z.infer<typeof recentConvergenceQuery>;
