import { resourceKey } from '@/lib/observation/client-state';
import type { Recorded } from '@/lib/observation/observation';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { buildEvents } from '@/lib/views/events/build-events';
import type { NotableEvent } from '@/lib/views/events/schema';
import type { ClientStatus } from '@/lib/xds/status';

const eventsKept = 500;

/** The newest notable events, the newest first. */
export class RecentEvents {
  readonly items: NotableEvent[] = [];

  /** The oldest is first. */
  add(events: readonly NotableEvent[]): void {
    this.items.unshift(...[...events].reverse());
    if (this.items.length > eventsKept) this.items.length = eventsKept;
  }

  /** Replaces the events by those of a history, oldest first. */
  restore(history: Iterable<Recorded>, nodeIdOf: (clientId: string) => string | undefined): void {
    this.items.length = 0;
    const statuses = new Map<string, ClientStatus>();
    for (const observation of history) {
      // An observation of a file is not a current event.
      if (observation.vantage === 'dump') continue;
      const prefix = 'clientId' in observation ? `${observation.sourceId}\u0000${observation.clientId}` : '';
      const keyOf = (row: ResourceKey): string => `${prefix}\u0000${resourceKey(row)}`;
      const previousStatus = (row: ResourceKey) => statuses.get(keyOf(row));
      const events = buildEvents(observation, { nodeIdOf, previousStatus });
      if ('changed' in observation) {
        for (const row of observation.changed) statuses.set(keyOf(row), row.clientStatus);
      }
      this.add(events);
    }
  }
}
