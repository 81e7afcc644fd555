import { describeFleet, type FleetDescription } from '@/lib/views/fleet/describe-fleet';
import type { IssuesByClient } from '@/lib/views/fleet/schema';
import type { FleetIndex } from '../live/fleet/fleet-index';
import { log } from '../logger';
import type { Clock } from '../observe';
import { ClientHeads, type HeadsPosition } from '../store/heads/client-heads';
import { asOnlyWriter } from '../store/heads/only-writer';
import type { StoreDatabase } from '../store/schema';
import { takeSteps } from '../workers/threads/take-steps';
import { pause } from './pause';
import { PendingHeads } from './pending-heads';
import { PendingIssues } from './pending-issues';
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

/** Finds the open issues of all clients; undefined while they are not known. */
type FindIssues = () => Promise<IssuesByClient | undefined>;

const attemptMs = 500;
const writeMs = 200;
const issuesMs = 1_000;

/**
 * Writes the heads of all clients, as this process has folded them, while no other process does. Whoever begins to compares all
 * heads first, and writes those that differ. Each round takes the clients as they are then, and writes some of the heads that
 * differ.
 */
export class HeadsWriter {
  readonly #parts: HeadsWriterParts;
  readonly #closing = new AbortController();
  readonly #work: RepeatedWork;
  #findIssues: FindIssues = async () => undefined;

  constructor(parts: HeadsWriterParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: attemptMs, failure: 'the heads of the clients are not written' },
      work: () => this.#attempt(),
    });
  }

  start(findIssues: FindIssues): void {
    this.#findIssues = findIssues;
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
    const { clock, foldedSeq } = this.#parts;
    // Another process may have written since the position was compared.
    const position = await heads.position();
    if (foldedSeq() < (position?.seq ?? 1)) return;
    let found: Awaited<ReturnType<FindIssues>>;
    // Heads do not wait for issues, whose impact may take seconds to assess.
    const finding = new RepeatedWork({
      ...{ clock, everyMs: issuesMs, failure: 'the issues in the list of clients are not renewed' },
      work: async () => {
        found = await this.#findIssues();
      },
    });
    finding.start();
    try {
      await this.#writeRounds(heads, position, () => found);
    } finally {
      await finding.close();
    }
  }

  async #writeRounds(
    heads: ClientHeads,
    position: HeadsPosition | undefined,
    newestIssues: () => Awaited<ReturnType<FindIssues>>,
  ): Promise<void> {
    const { clock, fleet, foldedSeq } = this.#parts;
    const { signal } = this.#closing;
    // After a failure, everything is compared again.
    const pending = new PendingHeads(await heads.digests());
    const pendingIssues = new PendingIssues(await heads.issues());
    let description: FleetDescription | undefined;
    let isShown = position !== undefined;
    let areIssuesKnown = position?.totals.areIssuesKnown === true;
    while (!signal.aborted) {
      const { members } = await fleet.find();
      const seq = foldedSeq();
      const removed = await takeSteps(pending.note(members));
      const changed = await takeSteps(pending.take());
      const found = newestIssues();
      const issues = await takeSteps(pendingIssues.take(found));
      const wasKnown = areIssuesKnown;
      areIssuesKnown ||= found !== undefined;
      const wasShown = isShown;
      // The first heads are shown once all clients have one.
      isShown ||= pending.isWhole;
      const isOther = isShown !== wasShown || areIssuesKnown !== wasKnown;
      if (changed.length + removed.length > 0 || issues !== undefined || isOther) {
        description = await takeSteps(describeFleet(members, description));
        const { made: _, ...totals } = description;
        const known = areIssuesKnown && { areIssuesKnown };
        const reached = { seq, totals: { ...totals, clients: pending.written, ...known } };
        await heads.write({ changed, removed, ...(issues && { issues }), ...(isShown && { reached }) });
      }
      if (pending.isEmpty) await pause(clock, writeMs, signal);
    }
  }
}
