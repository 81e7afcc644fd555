import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import { countNacks } from '@/lib/views/fleet/fleet-sort';
import { type BuiltHead, buildHead } from '../store/heads/build-head';

interface Written {
  /** undefined: as another process has written it. */
  readonly member: FleetMember | undefined;
  readonly digest: string;
}

/** A round has at most so many heads of clients whose state changed, and as many others, so that those do not wait forever. */
export const mostOfEach = 500;
const headsPerStep = 8;

/** The heads that differ from those that are written, in the order in which they will be. MUTABLE. */
export class PendingHeads {
  readonly #written: Map<string, Written>;
  /** Clients that are new, or in another state than their head. */
  readonly #urgent = new Map<string, FleetMember>();
  readonly #others = new Map<string, FleetMember>();
  #noted: readonly FleetMember[] | undefined;

  /** `digests`: those of the heads that are written, by the id of the client. */
  constructor(digests: ReadonlyMap<string, string>) {
    this.#written = new Map(Array.from(digests, ([id, digest]) => [id, { member: undefined, digest }]));
  }

  /** The number of heads that are written. */
  get written(): number {
    return this.#written.size;
  }

  get isEmpty(): boolean {
    return this.#urgent.size + this.#others.size === 0;
  }

  /** All clients have a head. */
  get isWhole(): boolean {
    return this.#urgent.size === 0;
  }

  /** Takes all clients as they are now. Returns the ids of heads whose clients are gone. */
  *note(members: readonly FleetMember[]): Steps<string[]> {
    const before = this.#noted;
    if (before === members) return [];
    let isOther = before?.length !== members.length;
    for (const [place, member] of members.entries()) {
      if (place % itemsPerStep === 0) yield;
      if (before?.[place] === member) continue;
      isOther ||= before?.[place]?.summary.id !== member.summary.id;
      this.#add(member);
    }
    this.#noted = members;
    return isOther ? this.#forgetOthers(members) : [];
  }

  /** A client that waits already keeps its turn. */
  #add(member: FleetMember): void {
    const { id } = member.summary;
    const written = this.#written.get(id);
    if (written !== undefined && written.member === member) return;
    const isUrgent = written === undefined || (written.member && stateOf(written.member) !== stateOf(member));
    if (isUrgent) this.#others.delete(id);
    if (isUrgent || this.#urgent.has(id)) this.#urgent.set(id, member);
    else this.#others.set(id, member);
  }

  #forgetOthers(members: readonly FleetMember[]): string[] {
    const current = new Set(members.map(({ summary }) => summary.id));
    for (const pending of [this.#urgent, this.#others])
      for (const id of pending.keys()) if (!current.has(id)) pending.delete(id);
    const removed = [...this.#written.keys()].filter((id) => !current.has(id));
    for (const id of removed) this.#written.delete(id);
    return removed;
  }

  /** Returns those heads of the next round that differ. They count as written: if that fails, this object is of no use any more. */
  *take(): Steps<BuiltHead[]> {
    const changed: BuiltHead[] = [];
    for (const pending of [this.#urgent, this.#others]) {
      let built = 0;
      for (const [id, member] of pending) {
        if (built === mostOfEach) break;
        pending.delete(id);
        const head = buildHead(member);
        const digest = head.row.digest.toString('base64');
        if (this.#written.get(id)?.digest !== digest) changed.push(head);
        this.#written.set(id, { member, digest });
        built += 1;
        if (built % headsPerStep === 0) yield;
      }
    }
    return changed;
  }
}

/** What somebody who looks at the list must see first. */
function stateOf({ summary, link }: FleetMember): string {
  const { worst, trouble, waiting = [], freshness, resources } = summary;
  const waits = waiting.map((each) => `${each.state} ${each.resources}`);
  return [worst, trouble, countNacks(summary), freshness, resources, link?.kind, ...waits].join();
}
