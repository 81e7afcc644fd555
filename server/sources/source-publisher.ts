import type { Source } from '@/lib/views/sources/schema';
import type { StreamNotice } from '@/lib/views/stream/schema';
import type { ClientLifetimes } from '../live/client-lifetimes';
import type { LiveState } from '../live/live-state';
import type { Clock, Observe } from '../observe';
import type { SourceStatus } from '../source-status';
import { inSlices } from '../workers/threads/in-slices';
import { isPolled } from './source-kinds';

type ChangedSource = Pick<Source, 'id' | 'kind' | 'listId'>;

interface SourcePublisherOptions {
  readonly clock: Clock;
  readonly publish: (notice: StreamNotice) => void;
  readonly observe: Observe;
  readonly live: LiveState;
  readonly lifetimes: Pick<ClientLifetimes, 'sourceRemoved'>;
  /** The current status. undefined: there is no such source. */
  readonly statusOf: (id: string) => SourceStatus | undefined;
}

/** A source whose state stays the same is published after this time. A change of state is published at once. */
const publishIntervalMs = 1_000;

/**
 * Publishes what a source's new status changes: the list of sources, and the freshness of its clients. When a source
 * comes up for the first time, reports of an earlier run that it does not confirm are ended.
 */
export class SourcePublisher {
  readonly #options: SourcePublisherOptions;

  #timer: { cancel(): void } | undefined;
  readonly #cameUp = new Set<string>();

  constructor(options: SourcePublisherOptions) {
    this.#options = options;
  }

  changed(source: ChangedSource, before: SourceStatus, now: SourceStatus): void {
    if (now.state !== before.state || now.problem?.message !== before.problem?.message) {
      // A list may have thousands of members: only their counts are shown.
      if (source.listId === undefined) this.#options.publish('sources');
      else if (now.state !== before.state) this.#publishLater();
      if (now.state === 'up' && isPolled(source.kind) && !this.#cameUp.has(source.id)) {
        this.#cameUp.add(source.id);
        void this.#endUnconfirmedReports(source.id);
      }
      this.#markDirty(this.#clientsOf(source.id));
      return;
    }
    if (now.clients.size !== before.clients.size) {
      const ids = new Set([...before.clients.keys(), ...now.clients.keys()]);
      this.#markDirty([...ids].filter((id) => before.clients.has(id) !== now.clients.has(id)));
    }
    if (source.listId === undefined) this.#publishLater();
  }

  #publishLater(): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#options.publish('sources');
    }, publishIntervalMs);
  }

  removed({ id: sourceId, listId }: Pick<Source, 'id' | 'listId'>, last: SourceStatus): void {
    this.#cameUp.delete(sourceId);
    this.#options.live.forgetSource(sourceId);
    if (listId === undefined) this.#options.publish('sources');
    else this.#publishLater();
    this.#markDirty(new Set([...this.#clientsOf(sourceId), ...last.clients.keys()]));
    void this.#options.lifetimes.sourceRemoved(sourceId, listId !== undefined);
  }

  /**
   * Ends reports of earlier runs: tens of thousands of clients in the log may be missing from this source's first
   * answer.
   */
  async #endUnconfirmedReports(sourceId: string): Promise<void> {
    const { clock, live, observe, statusOf } = this.#options;
    await inSlices(this.#clientsOf(sourceId), (clientId) => {
      const report = live.world.get(clientId)?.reports.get(sourceId);
      if (report === undefined || report.goneAt !== null) return;
      const status = statusOf(sourceId);
      // The remaining reports are ended when the source is up again.
      if (status?.state !== 'up') this.#cameUp.delete(sourceId);
      else if (!status.clients.has(clientId)) {
        const { vantage, side } = report;
        const reason = `${sourceId} answers, and no longer reports this client (since before xdscope started)`;
        const base = { at: clock.now(), vantage, sourceId, clientId };
        observe({ observation: { ...base, kind: 'client-gone', side, reason }, bodies: [] });
      }
    });
  }

  /** Marks the clients in slices, because there may be tens of thousands of them. */
  #markDirty(clientIds: Iterable<string>): void {
    void inSlices(clientIds, (clientId) => this.#options.live.markDirty(clientId));
  }

  #clientsOf(sourceId: string): string[] {
    return [...this.#options.live.clientsOfSource(sourceId)];
  }
}
