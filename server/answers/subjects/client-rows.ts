import { LRUCache } from 'lru-cache';
import { runSteps } from '@/lib/cooperative/steps';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { buildResourceRows, resourceRowFinder } from '@/lib/views/client/build-resource-rows';
import {
  type ChosenReports,
  chooseReports,
  type FreshnessOf,
  isSameReports,
} from '@/lib/views/client/choose-report';
import type { LiveState } from '../../live/live-state';
import { takeSteps } from '../../workers/threads/take-steps';

interface ClientRowsOptions {
  readonly live: Pick<LiveState, 'world' | 'revisionOf' | 'changedSince'>;
  readonly freshnessOf: FreshnessOf;
}

interface RowsAtRevision {
  readonly revision: number;
  readonly rows: ResourceRow[];
  readonly reports: ChosenReports;
}

const rowListsKept = 20;

/** A large client that changes repeatedly is built without pauses after this number of tries. */
const triesInSlices = 3;

/**
 * The resources of clients as rows. An unchanged client has the same array, and an unchanged row is the same
 * object in the next array. Many rows are built in slices.
 */
export class ClientRows {
  readonly #options: ClientRowsOptions;
  readonly #kept = new LRUCache<string, RowsAtRevision>({ max: rowListsKept });
  /** Rows that are being built, by client. */
  readonly #building = new Map<string, Promise<RowsAtRevision | undefined>>();

  constructor(options: ClientRowsOptions) {
    this.#options = options;
  }

  /** Returns undefined if there is no such client. */
  async find(clientId: string): Promise<RowsAtRevision | undefined> {
    const kept = this.#kept.get(clientId);
    if (kept?.revision === this.#options.live.revisionOf(clientId)) return kept;
    const underWay = this.#building.get(clientId);
    if (underWay !== undefined) return underWay;
    const building = this.#make(clientId).finally(() => this.#building.delete(clientId));
    this.#building.set(clientId, building);
    return building;
  }

  async #make(clientId: string): Promise<RowsAtRevision | undefined> {
    const { live, freshnessOf } = this.#options;
    for (let tries = 1; ; tries++) {
      const client = live.world.get(clientId);
      if (client === undefined) return undefined;
      const before = this.#kept.get(clientId);
      const revision = live.revisionOf(clientId);
      if (before?.revision === revision) return before;
      const reports = chooseReports(client, freshnessOf);
      // The call is made even without rows to compare, because changes are kept from the first call on.
      const changed = live.changedSince(clientId, before?.revision ?? revision);
      if (before !== undefined && changed !== undefined && isSameReports(before.reports, reports)) {
        const rows = replaceRows(before.rows, changed, resourceRowFinder(client, freshnessOf));
        const now = { revision, rows, reports };
        this.#kept.set(clientId, now);
        return now;
      }
      const steps = buildResourceRows(client, freshnessOf);
      const rows = tries > triesInSlices ? runSteps(steps) : await takeSteps(steps);
      // Changes in the meantime are applied in the next round.
      this.#kept.set(clientId, { revision, rows, reports });
    }
  }
}

/** Replaces, removes or inserts the rows of these keys; returns the same array if there are none. */
export function replaceRows(
  rows: ResourceRow[],
  keys: readonly ResourceKey[],
  findRow: (key: ResourceKey) => ResourceRow | undefined,
): ResourceRow[] {
  if (keys.length === 0) return rows;
  const next: ResourceRow[] = [];
  let from = 0;
  let previous: ResourceKey | undefined;
  for (const key of [...keys].sort(compareResourceKeys)) {
    if (previous !== undefined && compareResourceKeys(previous, key) === 0) continue;
    previous = key;
    const at = findPlace(rows, key, from);
    for (let index = from; index < at; index++) pushAt(next, rows, index);
    const held = rows[at];
    from = held !== undefined && compareResourceKeys(held, key) === 0 ? at + 1 : at;
    const row = findRow(key);
    if (row !== undefined) next.push(row);
  }
  for (let index = from; index < rows.length; index++) pushAt(next, rows, index);
  return next;
}

function pushAt(next: ResourceRow[], rows: readonly ResourceRow[], index: number): void {
  const row = rows[index];
  if (row !== undefined) next.push(row);
}

/** Returns the index of the first row from `from` on that is not before the key. */
function findPlace(rows: readonly ResourceRow[], key: ResourceKey, from: number): number {
  let [low, high] = [from, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && compareResourceKeys(row, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
