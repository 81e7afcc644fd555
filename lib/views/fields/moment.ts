import * as z from 'zod';
import { time } from './answer-fields';

/** The moment in the past that an answer is about; an answer without one is about now. */
export const moment = z.object({
  /** The requested time, or the time of the requested event. */
  at: time,
  /** The client's newest observation in the fold: `at=seq:N` requests the same moment. */
  seq: z.number().int(),
  /**
   * A description of what is missing before the moment, because it was not recorded or is no longer in the log;
   * empty: nothing.
   */
  incomplete: z.string(),
});

export type Moment = z.infer<typeof moment>;
