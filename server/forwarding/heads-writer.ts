import type { Steps } from '@/lib/cooperative/steps';
import { describeFleet, type FleetDescription } from '@/lib/views/fleet/describe-fleet';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { FleetIndex } from '../live/fleet/fleet-index';
import { log } from '../logger';
import type { Clock } from '../observe';
import { type BuiltHead, buildHead } from '../store/heads/build-head';
import { ClientHeads, type HeadsChange } from '../store/heads/client-heads';
import { asOnlyWriter } from '../store/heads/only-writer';
import type { StoreDatabase } from '../store/schema';
import { takeSteps } from '../workers/threads/take-steps';
import { pause } from './pause';
import { RepeatedWork } from './repeated-work';

interface HeadsWriterParts {
  readonly clock: Clock;
  /** A PostgreSQL. */
  readonly database: StoreDatabase;
  readonly fleet: Pick<FleetIndex, 'find'>;
  /** All observations of the store up to this one are folded here. */
  readonly foldedSeq: () => number;
  /** Resolves when all clients are folded here. */
  readonly hold: () => Promise<void>;
  /** Called when this process begins and ceases to be the only one that writes. */
  readonly onFolder: (isFolder: boolean) => void;
}

interface Written {
  /** undefined: as another process has written it. */
  readonly member: FleetMember | undefined;
  readonly digest: string;
}

const attemptMs = 500;
const writeMs = 200;
const mostAtOnce = 2_000;
const headsPerStep = 8;

/**
 * Writes the heads of all clients, as this process has folded them, while no other process does. Whoever begins to compares all
 * heads first, and writes those that differ.
 */
export class HeadsWriter {
  readonly #parts: HeadsWriterParts;
  readonly #closing = new AbortController();
  readonly #work: RepeatedWork;

  constructor(parts: HeadsWriterParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: attemptMs, failure: 'the heads of the clients are not written' },
      work: () => this.#attempt(),
    });
  }

  start(): void {
    this.#work.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work.close();
  }

  /** Returns when another process writes, or when this one is closed. */
  async #attempt(): Promise<void> {
    const { database, foldedSeq, hold, onFolder } = this.#parts;
    const position = await new ClientHeads(database).position();
    // What is written must not go back to an earlier state.
    if (foldedSeq() < (position?.seq ?? 1)) return;
    await asOnlyWriter(database, async (heads) => {
      onFolder(true);
      try {
        await hold();
        log('info', 'store', 'this process writes the heads of the clients');
        await this.#write(heads);
      } finally {
        onFolder(false);
      }
    });
  }

  async #write(heads: ClientHeads): Promise<void> {
    const { clock, fleet, foldedSeq } = this.#parts;
    const { signal } = this.#closing;
    // Another process may have written since the position was compared.
    const position = await heads.position();
    if (foldedSeq() < (position?.seq ?? 1)) return;
    const written = new Map<string, Written>();
    for (const [id, digest] of await heads.digests()) written.set(id, { member: undefined, digest });
    let compared: readonly FleetMember[] | undefined;
    let description: FleetDescription | undefined;
    let isFirst = position === undefined;
    while (!signal.aborted) {
      const seq = foldedSeq();
      const { members } = await fleet.find();
      if (members !== compared) {
        description = await takeSteps(describeFleet(members, description));
        const { made: _, ...totals } = description;
        const reached = { seq, totals: { ...totals, clients: members.length } };
        await writeDifference(heads, members, { written, reached, isFirst });
        compared = members;
        isFirst = false;
      }
      await pause(clock, writeMs, signal);
    }
  }
}

interface Goal {
  /** After a failure, everything must be compared again. */
  readonly written: Map<string, Written>;
  readonly reached: NonNullable<HeadsChange['reached']>;
  /** The position is written, also if no head differs. */
  readonly isFirst: boolean;
}

async function writeDifference(
  heads: ClientHeads,
  members: readonly FleetMember[],
  { written, reached, isFirst }: Goal,
): Promise<void> {
  let changed: BuiltHead[] = [];
  let isOther = isFirst;
  for (let from = 0; from < members.length; from += mostAtOnce) {
    changed.push(...(await takeSteps(findChanged(members.slice(from, from + mostAtOnce), written))));
    if (changed.length <= mostAtOnce) continue;
    await heads.write({ changed, removed: [] });
    changed = [];
    isOther = true;
  }
  const removed = findRemoved(members, written);
  if (isOther || changed.length + removed.length > 0) await heads.write({ changed, removed, reached });
}

function* findChanged(members: readonly FleetMember[], written: Map<string, Written>): Steps<BuiltHead[]> {
  const changed: BuiltHead[] = [];
  let built = 0;
  for (const member of members) {
    const { id } = member.summary;
    const known = written.get(id);
    if (known?.member === member) continue;
    const head = buildHead(member);
    const digest = head.row.digest.toString('base64');
    if (known?.digest !== digest) changed.push(head);
    written.set(id, { member, digest });
    built += 1;
    if (built % headsPerStep === 0) yield;
  }
  return changed;
}

function findRemoved(members: readonly FleetMember[], written: Map<string, Written>): string[] {
  if (written.size === members.length) return [];
  const current = new Set(members.map(({ summary }) => summary.id));
  const removed = [...written.keys()].filter((id) => !current.has(id));
  for (const id of removed) written.delete(id);
  return removed;
}
