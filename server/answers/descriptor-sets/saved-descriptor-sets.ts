import * as z from 'zod';
import type { KeptValue, StateEntry } from '../../store/kept-value';

const savedSets = z.array(
  z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), name: z.string(), base64: z.base64() }),
);
type SavedSets = z.infer<typeof savedSets>;

export const descriptorSetsEntry: StateEntry<SavedSets> = {
  key: 'descriptor-sets',
  schema: savedSets,
  initial: [],
};

export interface SavedDescriptorSet {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Uploaded sets. */
export class SavedDescriptorSets {
  readonly #kept: KeptValue<SavedSets>;

  constructor(kept: KeptValue<SavedSets>) {
    this.#kept = kept;
  }

  read(): SavedDescriptorSet[] {
    return this.#kept.value.map(({ base64, ...set }) => ({ ...set, bytes: Buffer.from(base64, 'base64') }));
  }

  /** Resolves when it is stored. */
  write(sets: readonly SavedDescriptorSet[]): Promise<void> {
    const next = sets.map(({ id, name, bytes }) => ({ id, name, base64: toBase64(bytes) }));
    return this.#kept.change(() => next);
  }
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
