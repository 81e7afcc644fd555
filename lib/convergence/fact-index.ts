import { by, inTurn } from '../collections/compare';
import type { Recorded } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';
import { type AddressOf, readFacts } from './read-facts';

/** Selects facts; `gone` and `back` are always included. null selects all. */
export interface FactInterest {
  readonly typeUrl: string | null;
  /** A name excludes facts about whole messages. */
  readonly name: string | null;
}

const mostFacts = 400_000;

/** Indexes facts by client. The same observation may be added twice. MUTABLE. */
export class FactIndex {
  readonly #interest: FactInterest;
  readonly #addressOf?: AddressOf;
  readonly #clients = new Map<string, ConvergenceFact[]>();
  readonly #seen = new Set<number>();
  #count = 0;
  /** True if facts were dropped because of the limit. */
  isFull = false;

  constructor(interest: FactInterest, addressOf?: AddressOf) {
    this.#interest = interest;
    this.#addressOf = addressOf;
  }

  addObservation(observation: Recorded): void {
    if (this.#seen.has(observation.seq)) return;
    this.#seen.add(observation.seq);
    for (const fact of readFacts(observation, this.#addressOf)) this.add(fact);
  }

  add(fact: ConvergenceFact): void {
    if (!this.#isWanted(fact)) return;
    if (this.#count >= mostFacts) {
      this.isFull = true;
      return;
    }
    this.#count += 1;
    const facts = this.#clients.get(fact.clientId);
    if (facts === undefined) this.#clients.set(fact.clientId, [fact]);
    else facts.push(fact);
  }

  /** Returns the facts of some clients (null for all) and of some interest, up to a time. */
  select(interest: FactInterest, clientIds: Iterable<string> | null, until: EpochMs): FactIndex {
    const index = new FactIndex(interest);
    index.isFull = this.isFull;
    for (const clientId of clientIds ?? this.#clients.keys()) {
      for (const fact of this.#clients.get(clientId) ?? []) if (fact.at <= until) index.add(fact);
    }
    return index;
  }

  get clientIds(): string[] {
    return [...this.#clients.keys()];
  }

  /** Sorted by time, then by the order of the log. */
  factsOf(clientId: string): readonly ConvergenceFact[] {
    const facts = this.#clients.get(clientId) ?? [];
    return facts.sort(
      inTurn(
        by(({ at }) => at),
        by(({ seq }) => seq),
      ),
    );
  }

  *all(): Generator<ConvergenceFact> {
    for (const facts of this.#clients.values()) yield* facts;
  }

  #isWanted({ what, typeUrl, name }: ConvergenceFact): boolean {
    if (what === 'gone' || what === 'back') return true;
    if (this.#interest.typeUrl !== null && typeUrl !== this.#interest.typeUrl) return false;
    return this.#interest.name === null || name === this.#interest.name;
  }
}
