import * as z from 'zod';

/** Why something fails or was rejected: the expected and the actual value, and what to try. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});
