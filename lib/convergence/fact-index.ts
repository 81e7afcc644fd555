import type { Recorded } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';
import { type AddressOf, readFacts } from './read-facts';

/** Which facts are wanted; of gone and back all are. null: whatever it is. */
export interface FactInterest {
  readonly typeUrl: string | null;
  /** Of named facts only these; facts of whole messages are then not wanted. */
  readonly name: string | null;
}

const mostFacts = 400_000;

/** MUTABLE: what is known of clients, each one's in order. The same observation may be reported twice. */
export class FactIndex {
  private readonly clients = new Map<string, ConvergenceFact[]>();
  private readonly seen = new Set<number>();
  private count = 0;
  /** There were more facts than are kept. */
  isFull = false;

  constructor(
    private readonly interest: FactInterest,
    private readonly addressOf?: AddressOf,
  ) {}

  take(observation: Recorded): void {
    if (this.seen.has(observation.seq)) return;
    this.seen.add(observation.seq);
    for (const fact of readFacts(observation, this.addressOf)) this.add(fact);
  }

  add(fact: ConvergenceFact): void {
    if (!this.isWanted(fact)) return;
    if (this.count >= mostFacts) {
      this.isFull = true;
      return;
    }
    this.count += 1;
    const facts = this.clients.get(fact.clientId);
    if (facts === undefined) this.clients.set(fact.clientId, [fact]);
    else facts.push(fact);
  }

  /** The part of it that is of some clients (null: of all) and of some interest, up to a moment. */
  select(interest: FactInterest, clientIds: Iterable<string> | null, until: EpochMs): FactIndex {
    const book = new FactIndex(interest);
    book.isFull = this.isFull;
    for (const clientId of clientIds ?? this.clients.keys()) {
      for (const fact of this.clients.get(clientId) ?? []) if (fact.at <= until) book.add(fact);
    }
    return book;
  }

  get clientIds(): string[] {
    return [...this.clients.keys()];
  }

  /** By time; what the log reports at the same time in its order. */
  factsOf(clientId: string): readonly ConvergenceFact[] {
    const facts = this.clients.get(clientId) ?? [];
    return facts.sort((a, b) => a.at - b.at || a.seq - b.seq);
  }

  *all(): Generator<ConvergenceFact> {
    for (const facts of this.clients.values()) yield* facts;
  }

  private isWanted({ what, typeUrl, name }: ConvergenceFact): boolean {
    if (what === 'gone' || what === 'back') return true;
    if (this.interest.typeUrl !== null && typeUrl !== this.interest.typeUrl) return false;
    return this.interest.name === null || name === this.interest.name;
  }
}
