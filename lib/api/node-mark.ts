import { z } from 'zod';

/** What the resolved config makes of a node of the graph (GET clients/{id}/graph?resolve=LISTENER). */
export const nodeMark = z.object({
  /** dangling: named and not there. unused: not part of this resolved config. */
  use: z.enum(['used', 'ignored', 'dangling', 'unused']),
  /** Why, or what becomes of its requests; empty when there is nothing to say. */
  reason: z.string(),
});

export type NodeMark = z.infer<typeof nodeMark>;
