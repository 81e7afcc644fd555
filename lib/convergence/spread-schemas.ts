import * as z from 'zod';
import { count } from '../observation/field-schemas';
import { outcomeKinds } from './decide-client';

export const outcomeKind = z.enum(outcomeKinds);

/**
 * The range of a client's time to accept, in milliseconds from the first observation. A poll determines only the interval;
 * equal values: the event was observed directly.
 */
export const span = z.object({ fromMs: z.number(), toMs: z.number() });

export const spread = z.object({
  /** The number of counted clients: those that accepted it and those that have not. Probes of xdscope do not count. */
  total: count,
  /** The part of `total` that is known to have been sent it. */
  sent: count,
  accepted: count,
  /** The part of `total` in which all that the client was sent is in effect. */
  inEffect: count,
  /** The part of `counts.rejected` that has accepted something since. */
  recovered: count,
  /**
   * The number of clients for each outcome; clients of the outcomes from `passed-over` on are not counted in `total`.
   */
  counts: z.record(outcomeKind, count),
  /** The probes of xdscope that were sent it. */
  probes: z.object({ total: count, accepted: count, rejected: count }),
});

/** Oldest first. */
const steps = z.array(z.object({ afterMs: z.number(), clients: count })).readonly();

export const spreadOverTime = spread.extend({
  /** Clients that had certainly accepted by then. */
  sure: steps,
  /** Clients that may have accepted by then, because polls report late. Equal to `sure` without polls. */
  possible: steps,
  percentiles: z
    .array(
      z.object({
        percent: z.union([z.literal(50), z.literal(95), z.literal(99)]),
        /** The time until this percentage of the clients that accepted had done so; absent: none has. */
        ofAccepted: span.optional(),
        /**
         * The time until this percentage of all counted clients had accepted; absent: not reached, because too many
         * clients are stuck.
         */
        ofAll: span.optional(),
      }),
    )
    .readonly(),
});
