import { max } from 'd3';
import type { FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import type { EpochMs } from '@/lib/xds/units';
import type { FleetLines, FleetWindowQuery } from '../live/fleet/fleet-api';
import type { Clock } from '../observe';
import type { SourceStatus } from '../source-status';
import type { StoredHead } from '../store/heads/build-head';
import type { ClientHeads } from '../store/heads/client-heads';
import { RepeatedWork } from './repeated-work';

interface StoredFleetParts {
  readonly clock: Clock;
  readonly heads: Pick<ClientHeads, 'find' | 'version'>;
  readonly statusOf: (sourceId: string) => SourceStatus | undefined;
  readonly listStatuses: () => Iterable<SourceStatus>;
  /** Called when the heads have changed. */
  readonly onChange: () => void;
}

/** The version is read after this time without a notice, which repairs a lost one. */
const pollMs = 1_000;
const newestReportMs = 1_000;

/** The list of clients as one process has written it for all. */
export class StoredFleet {
  readonly #parts: StoredFleetParts;
  readonly #work: RepeatedWork;
  #version = 0;
  #newest: { readonly at: EpochMs; readonly report: EpochMs | undefined } | undefined;

  constructor(parts: StoredFleetParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: pollMs, failure: 'the list of clients is that of this process' },
      work: () => this.#poll(),
    });
  }

  /** Resolves when it is known whether a process has written the heads. */
  async start(): Promise<void> {
    await this.#poll();
    this.#work.start();
  }

  /** The heads have changed. */
  wake(): void {
    this.#work.wake();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  /** Returns undefined if no process has written the heads, or if the database does not answer. */
  async find(
    question: FleetQuestion,
    { open, offset, limit }: FleetWindowQuery,
  ): Promise<FleetLines | undefined> {
    if (this.#version === 0 || this.#work.problem !== '') return undefined;
    const found = await this.#parts.heads.find(question, { open: new Set(open), offset, limit });
    return (
      found && {
        ...found,
        areIssuesKnown: found.totals.areIssuesKnown === true,
        newestAt: this.#findNewestReport(),
        lines: found.lines.map((line) =>
          line.kind === 'client' ? { kind: 'client', member: this.#withLastSeen(line.member) } : line,
        ),
      }
    );
  }

  async #poll(): Promise<void> {
    const version = await this.#parts.heads.version();
    if (version !== this.#version) this.#parts.onChange();
    this.#version = version;
  }

  #withLastSeen(head: StoredHead): StoredHead {
    const { id } = head.summary;
    const reports = head.summary.reports.map((report) => {
      const { vantage, lastChangedAt, sourceId } = report;
      const polledAt = this.#parts.statusOf(sourceId)?.clients.get(id);
      return { ...report, lastSeenAt: vantage === 'dump' ? lastChangedAt : polledAt };
    });
    const lastSeenAt = max(reports, (report) => report.lastSeenAt);
    return { ...head, summary: { ...head.summary, reports, lastSeenAt } };
  }

  /** Computed at most once a second, because every window needs it. */
  #findNewestReport(): EpochMs | undefined {
    const now = this.#parts.clock.now();
    if (this.#newest === undefined || now - this.#newest.at >= newestReportMs) {
      const newestOf = ({ clients }: SourceStatus) => max(clients.values());
      this.#newest = { at: now, report: max(this.#parts.listStatuses(), newestOf) };
    }
    return this.#newest.report;
  }
}
