import * as z from 'zod';
import type { EpochMs } from '@/lib/xds/units';
import type { KeptValue, StateEntry } from '../../store/kept-value';

const mutedSubjects = z.object({
  subjects: z.array(z.object({ key: z.string(), until: z.number() })).default([]),
});
type MutedSubjects = z.infer<typeof mutedSubjects>;

export const mutesEntry: StateEntry<MutedSubjects> = {
  key: 'muted-issues',
  schema: mutedSubjects,
  initial: { subjects: [] },
};
const mostSubjects = 50_000;

/**
 * The subjects of issues (clients, clusters, sources) that are muted until a time. An issue is muted while each of its subjects is: one
 * that joins opens it again, and those of a group stay muted when the group changes.
 */
export class Mutes {
  readonly #kept: KeptValue<MutedSubjects>;
  #indexed: { readonly of: MutedSubjects; readonly until: ReadonlyMap<string, EpochMs> };

  constructor(kept: KeptValue<MutedSubjects>) {
    this.#kept = kept;
    this.#indexed = { of: kept.value, until: byKey(kept.value) };
  }

  /** Another process of a shared store may have set some. */
  get #until(): ReadonlyMap<string, EpochMs> {
    const { value } = this.#kept;
    if (this.#indexed.of !== value) this.#indexed = { of: value, until: byKey(value) };
    return this.#indexed.until;
  }

  /** The time until which all of the subjects are muted; undefined if one of them is not muted at this time. */
  find(subjects: readonly string[], at: EpochMs): EpochMs | undefined {
    let first = Number.POSITIVE_INFINITY;
    const all = this.#until;
    for (const key of subjects) {
      const until = all.get(key);
      if (until === undefined || until <= at) return undefined;
      first = Math.min(first, until);
    }
    return first === Number.POSITIVE_INFINITY ? undefined : first;
  }

  /** Resolves when it is stored. `until`: null unmutes. */
  async set(subjects: readonly string[], until: EpochMs | null, now: EpochMs): Promise<void> {
    const changed = new Set(subjects);
    await this.#kept.change((before) => {
      const others = before.subjects.filter(({ key, until: end }) => !changed.has(key) && end > now);
      const added = until === null ? [] : Array.from(changed, (key) => ({ key, until }));
      return { subjects: [...others, ...added].slice(-mostSubjects) };
    });
  }

  /** Mutes as well what is muted elsewhere. Resolves when it is stored. */
  async add({ subjects: others }: MutedSubjects): Promise<void> {
    await this.#kept.change(({ subjects }) => {
      const known = byKey({ subjects });
      const added = others.filter(({ key }) => !known.has(key));
      return { subjects: [...added, ...subjects].slice(-mostSubjects) };
    });
  }
}

function byKey({ subjects }: MutedSubjects): ReadonlyMap<string, EpochMs> {
  return new Map(subjects.map(({ key, until }) => [key, until]));
}
