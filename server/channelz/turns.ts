export interface TurnLimits {
  readonly most: number;
  readonly atOnce: number;
  /** Each message is requested once in so many polls. */
  readonly pollsPerTurn?: number;
}

/** Reads messages by id, of which a poll may request only some: polls take turns. */
export class Turns<Message> {
  #known: ReadonlyMap<number, Message> = new Map();
  /** The id with which the next poll continues. */
  #next = 0;

  /** By id, in the order of `wanted`, as far as they are known. */
  get known(): ReadonlyMap<number, Message> {
    return this.#known;
  }

  /** Requests what is new, then what was not requested for the longest time. `read` returns undefined for unknown ids. */
  async read(
    wanted: readonly number[],
    { most, atOnce, pollsPerTurn = 1 }: TurnLimits,
    read: (id: number) => Promise<Message | undefined>,
  ): Promise<{ readonly requested: number; readonly postponed: number }> {
    const { ids, due } = this.#choose(wanted, most, pollsPerTurn);
    const answers = new Map<number, Message | undefined>();
    const waiting = ids.values();
    const work = async (): Promise<void> => {
      for (const id of waiting) answers.set(id, await read(id));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const now = new Map<number, Message>();
    for (const id of wanted) {
      const message = answers.has(id) ? answers.get(id) : this.#known.get(id);
      if (message !== undefined) now.set(id, message);
    }
    this.#known = now;
    return { requested: ids.length, postponed: due - ids.length };
  }

  /** `due`: how many there would be without the limit. */
  #choose(wanted: readonly number[], most: number, pollsPerTurn: number) {
    const all = [...new Set(wanted)].sort((a, b) => a - b);
    const unknown = all.filter((id) => !this.#known.has(id));
    const others = all.filter((id) => this.#known.has(id));
    const start = others.findIndex((id) => id >= this.#next);
    const inTurn = start < 0 ? others : [...others.slice(start), ...others.slice(0, start)];
    const due = unknown.length + Math.ceil(inTurn.length / pollsPerTurn);
    const ids = [...unknown, ...inTurn].slice(0, Math.max(0, Math.min(most, due)));
    this.#next = inTurn[Math.max(0, ids.length - unknown.length)] ?? 0;
    return { ids, due };
  }
}
