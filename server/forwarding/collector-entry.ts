import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { KeptValue, type StateEntry } from '../store/kept-value';
import type { StateStore } from '../store/state';

const collector = z.object({ id: z.string() });

/** The name of this recording in the shared store. It is set aside with the recording, whose seqs then begin anew. */
export const collectorEntry: StateEntry<z.infer<typeof collector>> = {
  key: 'collector',
  schema: collector,
  initial: { id: '' },
};

/** Returns the name, which is given once. */
export async function nameRecording(state: StateStore): Promise<string> {
  const known = await KeptValue.open(state, collectorEntry);
  if (known.value.id === '') await known.change(() => ({ id: randomUUID() }));
  return known.value.id;
}
