import * as z from 'zod';
import type { ListEntry } from '../../store/kept-list';

const bytes = z.array(z.number().int().nonnegative());
const point = z.object({ at: z.number(), bytes });

const head = z.object({
  /** Order of bytes; missing values at the end are 0. */
  types: z.array(z.string()),
  everyMs: z.number().positive(),
  samples: z.array(point),
});
const line = z.object({ client: z.string(), points: z.array(point) });

export type KeptPoint = z.infer<typeof point>;
export type KeptHead = z.infer<typeof head>;
export type KeptClient = z.infer<typeof line>;

/** The totals of all clients, and a line for each client. */
export const sizesEntry: ListEntry<KeptHead, KeptClient> = { key: 'size-history', head, line };
