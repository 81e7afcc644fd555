import { z } from 'zod';

/** Why something is down or was rejected, for a person: what was expected, what came, what to try. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});
