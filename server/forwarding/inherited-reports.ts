import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { Observation } from '@/lib/observation/observation';
import type { LiveState } from '../live/live-state';
import type { Clock, Observe } from '../observe';
import type { SourceStatus } from '../source-status';
import { isPolled } from '../sources/source-kinds';
import { ObservationLog } from '../store/log';
import type { SharedDatabase } from './open-shared-store';
import { type SharedSource, sharedClients, sharedSources } from './shared-status';
import type { SourceLeases } from './source-leases';
import { clientsPrefix, sourcesPrefix } from './source-reporter';

interface InheritedReportsParts {
  readonly clock: Clock;
  readonly leases: Pick<SourceLeases, 'inherited' | 'leaseOf'>;
  readonly live: Pick<LiveState, 'world'>;
  readonly observe: Observe;
  readonly statusOf: (sourceId: string) => SourceStatus | undefined;
}

/**
 * Ends what the store has of sources that this process took over from another collector, and that they no longer report: the first
 * report here is compared with nothing, because this process has not read what the other one recorded.
 */
export class InheritedReports {
  readonly #parts: InheritedReportsParts;
  /** The clients that other collectors reported, by the sources that are not compared yet. */
  readonly #clients = new Map<string, Set<string>>();

  constructor(parts: InheritedReportsParts) {
    this.#parts = parts;
  }

  /** Compares the sources that have answered twice since then: all of the first answer has been observed. */
  async endUnreported({ database, state }: SharedDatabase): Promise<void> {
    await this.#inherit(state);
    const due = [...this.#clients].filter(([sourceId]) => {
      const status = this.#parts.statusOf(sourceId);
      return status?.state === 'up' && status.answers > 1;
    });
    if (due.length === 0) return;
    const log = new ObservationLog(database, this.#parts.clock);
    const { newestSeq: seq } = await log.readHeads();
    for (const [sourceId, clientIds] of due) {
      for (const clientId of clientIds) {
        const client = (await log.readClientAt(clientId, { seq }))?.client;
        const report = client?.reports.get(sourceId);
        if (client === undefined || report === undefined || report.goneAt !== null) continue;
        const observation = this.#findEnd(client, report);
        if (observation !== undefined) this.#parts.observe({ observation, bodies: [] });
      }
      this.#clients.delete(sourceId);
    }
  }

  async #inherit(state: SharedDatabase['state']): Promise<void> {
    const { leases } = this.#parts;
    const inherited = new Set(leases.inherited);
    if (inherited.size === 0) return;
    const sources = (await state.list(sourcesPrefix, sharedSources)).flatMap(({ value }) => value);
    const isInherited = ({ id, kind, listId }: SharedSource): boolean =>
      isPolled(kind) && inherited.has(leases.leaseOf(listId ?? id) ?? '');
    const sourceIds = new Set(sources.filter(isInherited).map(({ id }) => id));
    for (const { value } of await state.list(clientsPrefix, sharedClients)) {
      for (const [id, ids] of value)
        if (sourceIds.has(id)) this.#clients.set(id, new Set([...(this.#clients.get(id) ?? []), ...ids]));
    }
    for (const lease of inherited) leases.inherited.delete(lease);
  }

  /** undefined: all that is stored is still reported. */
  #findEnd({ clientId, node, scope }: ClientState, stored: ClientReport): Observation | undefined {
    const { sourceId, vantage, side } = stored;
    const base = { at: this.#parts.clock.now(), vantage, sourceId, clientId, side };
    const report = this.#parts.live.world.get(clientId)?.reports.get(sourceId);
    if (report === undefined || report.goneAt !== null) {
      const reason = `${sourceId} answers, and no longer reports this client (since before this collector observes it)`;
      return { ...base, kind: 'client-gone', reason };
    }
    const removed = [...stored.resources.values()].flatMap(({ typeUrl, name }) =>
      report.resources.has(resourceKey({ typeUrl, name })) ? [] : [{ typeUrl, name }],
    );
    if (removed.length === 0) return undefined;
    return { ...base, kind: 'client-config-changed', node, scope, changed: [], removed };
  }
}
