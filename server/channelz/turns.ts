import { ascending } from '@/lib/collections/compare';
export interface TurnLimits<Message> {
  /** Asked before each request, because it may depend on the time that has passed. */
  readonly most: () => number;
  readonly atOnce: number;
  /** Each message is requested once in so many polls. */
  readonly pollsPerTurn?: number;
  /** Messages that are requested at each poll. They take at most half of the requests. */
  readonly isUrgent?: (id: number, known: Message) => boolean;
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

  /**
   * Requests what is new, then what is urgent, then what was not requested for the longest time. `read` returns undefined for
   * unknown ids.
   */
  async read(
    wanted: readonly number[],
    limits: TurnLimits<Message>,
    read: (id: number) => Promise<Message | undefined>,
  ): Promise<{ readonly requested: number; readonly postponed: number }> {
    const { first, inTurn, due } = this.#order(wanted, limits);
    const waiting = [...first, ...inTurn].slice(0, due);
    const answers = new Map<number, Message | undefined>();
    let requested = 0;
    const work = async (): Promise<void> => {
      for (let id = waiting[requested]; id !== undefined; id = waiting[requested]) {
        if (requested >= limits.most()) return;
        requested += 1;
        answers.set(id, await read(id));
      }
    };
    await Promise.all(Array.from({ length: limits.atOnce }, work));
    if (requested >= first.length) this.#next = inTurn[requested - first.length] ?? 0;
    const now = new Map<number, Message>();
    for (const id of wanted) {
      const message = answers.has(id) ? answers.get(id) : this.#known.get(id);
      if (message !== undefined) now.set(id, message);
    }
    this.#known = now;
    return { requested, postponed: due - requested };
  }

  /** `due`: how many there would be without the limit. */
  #order(wanted: readonly number[], { most, pollsPerTurn = 1, isUrgent }: TurnLimits<Message>) {
    const all = [...new Set(wanted)].sort(ascending);
    const first = all.filter((id) => !this.#known.has(id));
    const mostUrgent = first.length + Math.floor(most() / 2);
    const [before, after]: [number[], number[]] = [[], []];
    for (const id of all) {
      const known = this.#known.get(id);
      if (known === undefined) continue;
      if (isUrgent?.(id, known) === true && first.length < mostUrgent) first.push(id);
      else (id < this.#next ? before : after).push(id);
    }
    const inTurn = [...after, ...before];
    return { first, inTurn, due: first.length + Math.ceil(inTurn.length / pollsPerTurn) };
  }
}
