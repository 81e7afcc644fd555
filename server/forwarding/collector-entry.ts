import * as z from 'zod';
import type { StateEntry } from '../store/kept-value';

const collector = z.object({ id: z.string() });

/** The name of this recording in the shared store. It is set aside with the recording, whose seqs then begin anew. */
export const collectorEntry: StateEntry<z.infer<typeof collector>> = {
  key: 'collector',
  schema: collector,
  initial: { id: '' },
};
