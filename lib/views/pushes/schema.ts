/**
 * GET convergence and GET convergence/recent: which clients accepted a version of a type or a content of a resource, and
 * how long that took. Durations are in milliseconds.
 */
import * as z from 'zod';
import { pushKinds } from '../../convergence/find-push-changes';
import { outcomeKind, span, spread, spreadOverTime } from '../../convergence/spread-schemas';
import { time } from '../fields/answer-fields';
import { described, epochTime, limit, textParameter, typeParameter } from '../fields/query-fields';

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

/** Resources of a push beside what one of its clients had before. */
const pushChanges = {
  /** `redundant`: no client received other content than it had. `revert`: all that changed is as it was before. */
  kind: z.enum(pushKinds),
  /** The version of the earlier content of a revert. */
  revertsTo: z.string().optional(),
  changes: z.array(
    z.object({
      name: z.string(),
      hash: z.string(),
      /** Absent: not known. */
      before: z.object({ hash: z.string(), version: z.string() }).optional(),
    }),
  ),
  /** Resources that a client had before, and that the push deleted. */
  removed: z.array(z.string()),
};

const pushAnswers = ['ACKED', 'NACKED', 'NO_ANSWER'] as const;

const convergenceSubject = z.object({
  typeUrl: z.string(),
  /** As in "CDS"; the last part of the type URL for types without a service. */
  service: z.string(),
  /** The name of a resource, if a content is asked about; absent: a version is. */
  name: z.string().optional(),
  hash: z.string().optional(),
  /** The first version of the content. */
  version: z.string(),
  /** The control plane as it identifies itself, or the source that observed the response; absent: not reported. */
  server: z.string().optional(),
});

const convergenceClient = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  /** The xDS variant of a probe of xdscope, which is counted in `spread.probes` only; absent: a client of the mesh. */
  probe: z.enum(['sotw', 'delta']).optional(),
  kind: outcomeKind,
  /** The answer to the push itself; absent: it is not known to have been sent. A NACK stays. */
  answer: z.enum(pushAnswers).optional(),
  answeredAt: time.optional(),
  /** The time at which the control plane reported that it had sent it; absent: it did not. */
  controlPlaneAt: time.optional(),
  /** The time since which all that the client was sent is in effect; absent: not reported. */
  inEffectAt: time.optional(),
  /** The time at which the client, after a NACK, had accepted each resource that it had rejected, or no longer had it. */
  recoveredAt: time.optional(),
  /** The meaning of `kind` for this client. */
  reason: z.string(),
  /** The time from the first observation to the ACK; absent: it has not accepted. */
  after: span.optional(),
  at: time.optional(),
  sentAt: time.optional(),
  before: z.object({ version: z.string(), hash: z.string().optional(), since: time }).optional(),
  /** The error message; empty if there is none. */
  text: z.string(),
  /** The position of the evidence in the log. */
  seq: count.optional(),
});

export const convergence = z.object({
  subject: convergenceSubject,
  /** The first observation by any source. */
  firstAt: time,
  /**
   * A poll observed it first, at `firstAt`, and it is newer than this; null: there was no poll before. Absent: observed as it
   * was sent.
   */
  firstAfter: time.nullable().optional(),
  /** Later observations are left out. */
  until: time,
  spread: spreadOverTime,
  /** Clients that have not accepted first, then the slowest; at most 2,000. */
  clients: z.array(convergenceClient),
  clientsLeftOut: count,
  names: z.array(z.string()),
  nameCount: count,
  /** The contents of a resource, newest first, at most 50. */
  contents: z.array(z.object({ hash: z.string(), version: z.string(), firstAt: time, isThis: z.boolean() })),
  ...pushChanges,
  /** Other control planes that use the same version. */
  otherServers: z.array(z.string()),
  /** Sentences on what may be missing. */
  notes: z.array(z.string()),
});

const pushClient = z.object({ clientId: z.string(), nodeId: z.string(), kind: outcomeKind });

const convergencePush = z.object({
  subject: convergenceSubject,
  firstAt: time,
  names: z.array(z.string()),
  nameCount: count,
  ...pushChanges,
  spread,
  /** Clients that NACKED it, and those that have not accepted it for another reason: at most 5 of each. */
  nackedBy: z.array(pushClient),
  stuck: z.array(pushClient),
  /** The times after which 50% and 99% of all counted clients had accepted; absent: not reached. */
  p50: span.optional(),
  p99: span.optional(),
});

export const recentConvergence = z.object({
  /** Newest first. */
  items: z.array(convergencePush),
  /** The oldest time that was read. */
  from: time.optional(),
  until: time,
  notes: z.array(z.string()),
});

export type OutcomeKindReported = z.infer<typeof outcomeKind>;
export type PushAnswer = (typeof pushAnswers)[number];
export type Convergence = z.infer<typeof convergence>;
export type ConvergenceClient = z.infer<typeof convergenceClient>;
export type ConvergenceSubject = z.infer<typeof convergenceSubject>;
export type ConvergencePush = z.infer<typeof convergencePush>;
export type RecentConvergence = z.infer<typeof recentConvergence>;
export type SpreadReported = Convergence['spread'];
export type ConvergenceQuery = z.infer<typeof convergenceQuery>;
export type RecentConvergenceQuery = z.infer<typeof recentConvergenceQuery>;
