import * as z from 'zod';
import { tearKinds } from '../../resolve/tear-kind';
import { profiles } from '../../xds/profile';
import { time } from '../fields/answer-fields';

const impact = z.object({
  /**
   * fails: requests failed; waits: requests, or the new config, were held back; nothing: the old config stayed in use.
   */
  outcome: z.enum(['fails', 'waits', 'nothing']),
  durationMs: z.number(),
  text: z.string(),
});

/** GET clients/{id}/tears: config tears, the intervals in which resources in use did not fit together. */
export const tears = z.object({
  clientId: z.string(),
  profile: z.enum(profiles),
  from: time,
  to: time,
  start: z.object({ listener: z.string(), authority: z.string().optional() }).optional(),
  /**
   * The beginning of the history that is read: the client's first observation in the log, or, for a long past, its state
   * some 16,000 observations before `to`, or just before `from`. Absent: the log has no observation of it.
   */
  beginsAt: time.optional(),
  /**
   * The log has earlier observations of the client: request them with `to` = `beginsAt`. A tear that began earlier
   * begins there.
   */
  hasOlder: z.boolean(),
  /** The answer ends before `to`: request the rest with `from` = `reportedTo`. */
  isCut: z.boolean(),
  reportedTo: time,
  total: z.number().int(),
  /** The newest ones, or those nearest to a requested moment, oldest first; at most 500. */
  items: z.array(
    z.object({
      kind: z.enum(tearKinds),
      fromAt: time,
      /** Absent: it lasts. */
      toAt: time.optional(),
      durationMs: z.number(),
      /** The missing resource, then the resources that reference it. */
      resources: z.array(z.object({ ...{ typeUrl: z.string(), name: z.string() }, service: z.string() })),
      /** The reason why a client of the profile would reject the resource that arrived; empty if none arrived. */
      rejection: z.string(),
      /** A client for which each resource takes effect when it arrives. */
      preA74: impact,
      /** A client that publishes complete configs only (gRFC A74). */
      a74: impact,
    }),
  ),
});

export type Tears = z.infer<typeof tears>;
