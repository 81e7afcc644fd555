import * as z from 'zod';

/** The mark of a graph node by an effective config (GET clients/{id}/graph?resolve=LISTENER). */
export const nodeMark = z.object({
  /** dangling: referenced and missing. unused: not part of this effective config. */
  use: z.enum(['used', 'ignored', 'dangling', 'unused']),
  /** The reason, or what happens to its requests; may be empty. */
  reason: z.string(),
});

export type NodeMark = z.infer<typeof nodeMark>;
