import { z } from 'zod';

/** The moment in the past that an answer is about; an answer without one is about now. */
export const moment = z.object({
  /** What was asked for; of an event the time when it was observed. */
  at: z.iso.datetime(),
  /** The client's newest observation that is folded in: `at=seq:N` asks for the same again. */
  seq: z.number().int(),
  /** Something before was not recorded, or is no longer in the log. In words; empty when nothing is missing. */
  incomplete: z.string(),
});

export type Moment = z.infer<typeof moment>;
