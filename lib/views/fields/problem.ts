import * as z from 'zod';

/** The reason why something fails or was rejected: the expected and the actual value, and what to try. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});

/** RFC 9457. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  /** The part of the request that is not valid, as in "settings.transport"; absent: the whole. */
  field: z.string().optional(),
  /** The earlier import of a file that was imported before; absent: another problem. */
  importId: z.string().optional(),
});

export type ProblemDetails = z.infer<typeof problemDetails>;
