import type { Source } from '@/lib/api/schema';
import type { StreamChange } from '@/lib/api/stream';
import type { ClientLifetimes } from '../live/client-lifetimes';
import type { LiveState } from '../live/live-state';
import type { Clock, Observe } from '../observe';
import type { SourceStatus } from '../source-status';
import { inSlices } from '../threads/in-slices';
import { isPolled } from './source-kinds';

/** What is to be known of a source whose status is new; its row is made when it is reported. */
type Reported = Pick<Source, 'id' | 'kind' | 'listId'>;

export interface SourcePublisherOptions {
  readonly clock: Clock;
  readonly publish: (change: StreamChange) => void;
  readonly observe: Observe;
  readonly live: LiveState;
  readonly lifetimes: Pick<ClientLifetimes, 'sourceRemoved'>;
  readonly findSource: (id: string) => Source | undefined;
  /** As it is now; undefined: it is no source. */
  readonly statusOf: (id: string) => SourceStatus | undefined;
}

/** Ordinary news of a source (one more poll) are reported at most so often; a change of state at once. */
const ordinaryNewsMs = 1_000;

/**
 * Reports what a source's new status means to others: its row on the stream, and the freshness of the clients that it
 * speaks of. A source that comes up for the first time and no longer names a client of the log ends that report.
 */
export class SourcePublisher {
  private readonly waiting = new Set<string>();
  private timer: { cancel(): void } | undefined;
  private readonly cameUp = new Set<string>();

  constructor(private readonly options: SourcePublisherOptions) {}

  changed(source: Reported, before: SourceStatus, now: SourceStatus): void {
    if (now.state !== before.state || now.problem?.message !== before.problem?.message) {
      if (source.listId === null) {
        this.waiting.delete(source.id);
        this.publish(source.id);
      } else if (now.state !== before.state) this.listChanged(source.listId);
      if (now.state === 'up' && isPolled(source.kind) && !this.cameUp.has(source.id)) {
        this.cameUp.add(source.id);
        void this.endForgottenReports(source.id);
      }
      this.markDirty(this.clientsOf(source.id));
      return;
    }
    if (now.clients.size !== before.clients.size) {
      const ids = new Set([...before.clients.keys(), ...now.clients.keys()]);
      this.markDirty([...ids].filter((id) => before.clients.has(id) !== now.clients.has(id)));
    }
    // Thousands of one list: of those only their counts are reported.
    if (source.listId === null) this.publishLater(source.id);
  }

  private listChanged(listId: string): void {
    this.publishLater(listId);
  }

  private publishLater(sourceId: string): void {
    this.waiting.add(sourceId);
    this.timer ??= this.options.clock.setTimeout(() => this.flush(), ordinaryNewsMs);
  }

  removed({ id: sourceId, listId }: Pick<Source, 'id' | 'listId'>, last: SourceStatus): void {
    this.waiting.delete(sourceId);
    this.cameUp.delete(sourceId);
    this.options.live.forgetSource(sourceId);
    if (listId === null) this.options.publish({ type: 'source-removed', sourceId });
    else this.listChanged(listId);
    this.markDirty(new Set([...this.clientsOf(sourceId), ...last.clients.keys()]));
    void this.options.lifetimes.sourceRemoved(sourceId, listId !== null);
  }

  private flush(): void {
    this.timer = undefined;
    for (const id of this.waiting) this.publish(id);
    this.waiting.clear();
  }

  /** As it is now; what was removed meanwhile is reported there. */
  private publish(sourceId: string): void {
    const source = this.options.findSource(sourceId);
    if (source !== undefined) this.options.publish({ type: 'source', source });
  }

  /** The log of an earlier run may know tens of thousands of clients that this source's first answer does not name. */
  private async endForgottenReports(sourceId: string): Promise<void> {
    const { clock, live, observe, statusOf } = this.options;
    await inSlices(this.clientsOf(sourceId), (clientId) => {
      const report = live.world.get(clientId)?.reports.get(sourceId);
      if (report === undefined || report.goneAt !== null) return;
      const status = statusOf(sourceId);
      // The rest is ended when the source is up again.
      if (status?.state !== 'up') this.cameUp.delete(sourceId);
      else if (!status.clients.has(clientId)) {
        const { vantage, side } = report;
        const reason = `${sourceId} answers, and names this client no longer (found when xdscope started)`;
        const base = { at: clock.now(), vantage, sourceId, clientId };
        observe({ observation: { ...base, kind: 'client-gone', side, reason }, bodies: [] });
      }
    });
  }

  /** Of tens of thousands of clients in turns. */
  private markDirty(clientIds: Iterable<string>): void {
    void inSlices(clientIds, (clientId) => this.options.live.markDirty(clientId));
  }

  private clientsOf(sourceId: string): string[] {
    return [...this.options.live.clientsOfSource(sourceId)];
  }
}
