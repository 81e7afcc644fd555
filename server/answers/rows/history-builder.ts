import { runSteps } from '@/lib/cooperative/steps';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import type { ClientState } from '@/lib/observation/client-state';
import { resourceKey } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceChanges, ResourceKey } from '@/lib/observation/resource-state';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { chooseReport } from '@/lib/views/client/choose-report';
import { CDS, ECDS, EDS, LDS, RDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { freshnessThen } from '../../store/past/freshness-then';

export interface HistoryStep extends ResourceChanges {
  readonly at: EpochMs;
  readonly sourceId: string;
}

/** The types of the effective config; the bodies of other types are not read. */
const resolvedTypes = new Set([
  ...[LDS, RDS, SRDS, VHDS, CDS, EDS, ECDS].map(({ typeUrl }) => typeUrl),
  hostHealthTypeUrl,
]);

function isResolved({ typeUrl }: ResourceKey): boolean {
  return resolvedTypes.has(typeUrl);
}

/** The past of a client, folded page by page. */
export class HistoryDraft {
  readonly #past: { readonly clientId: string; readonly until: EpochMs };

  readonly #world: World = new Map();
  readonly #steps: HistoryStep[] = [];

  /** Observations after `until` are left out. */
  constructor(past: { readonly clientId: string; readonly until: EpochMs }) {
    this.#past = past;
  }

  /** Precondition: the oldest observation is first. */
  take(observations: Iterable<{ readonly seq: number; readonly json: string }>): void {
    for (const { seq, json } of observations) {
      const observation = { ...(JSON.parse(json) as Observation), seq };
      if (observation.at > this.#past.until) break;
      const { changes } = foldObservation(this.#world, observation);
      if (changes.changed.length + changes.removed.length === 0) continue;
      const changed = changes.changed.filter(isResolved);
      const removed = changes.removed.filter(isResolved);
      this.#steps.push({ at: observation.at, sourceId: observation.sourceId, changed, removed });
    }
  }

  /** Begins with the state before the first observation. */
  begin(client: ClientState, at: EpochMs): void {
    this.#world.set(client.clientId, client);
    for (const [sourceId, { resources }] of client.reports) {
      this.#steps.push({ at, sourceId, changed: [...resources.values()].filter(isResolved), removed: [] });
    }
  }

  /**
   * Returns the steps of the report that contains the rows. Before its source reported the client, the steps of another
   * source apply, if there is one; they end where the first one begins.
   */
  ownSteps(): HistoryStep[] {
    const client = this.#client();
    const reports = new Map(client?.reports);
    let reported: HistoryStep[] = [];
    let end = this.#steps.length;
    while (client !== undefined && end > 0) {
      const own = chooseReport({ ...client, reports }, 'client', freshnessThen)?.sourceId;
      if (own === undefined) break;
      reports.delete(own);
      const first = this.#steps.findIndex(({ sourceId }) => sourceId === own);
      if (first === -1 || first >= end) continue;
      const before = this.#steps.slice(first, end).filter(({ sourceId }) => sourceId === own);
      const [next] = reported;
      reported = next === undefined ? before : [...before, ending(before, next.at), ...reported];
      end = first;
    }
    return reported;
  }

  rows(): Map<string, ResourceRow> {
    const client = this.#client();
    const rows = client === undefined ? [] : runSteps(buildResourceRows(client, freshnessThen));
    return new Map(rows.map((row) => [resourceKey(row), row]));
  }

  #client(): ClientState | undefined {
    return this.#world.get(this.#past.clientId);
  }
}

/** Returns a step that removes all resources that the steps left. */
function ending(steps: readonly HistoryStep[], at: EpochMs): HistoryStep {
  const held = new Map<string, ResourceKey>();
  for (const { changed, removed } of steps) {
    for (const { typeUrl, name } of changed) held.set(resourceKey({ typeUrl, name }), { typeUrl, name });
    for (const key of removed) held.delete(resourceKey(key));
  }
  return { at, sourceId: steps.at(-1)?.sourceId ?? '', changed: [], removed: [...held.values()] };
}
