import { LRUCache } from 'lru-cache';
import type { ClientReport } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { runSteps } from '@/lib/steps/steps';
import { buildResourceRows, resourceRowFinder } from '@/lib/view-model/client/build-resource-rows';
import { chooseReport, type FreshnessOf } from '@/lib/view-model/client/choose-report';
import type { LiveState } from '../live/live-state';
import { takeSteps } from '../threads/take-steps';

export interface ClientRowsOptions {
  readonly live: Pick<LiveState, 'world' | 'revisionOf' | 'changedSince'>;
  readonly freshnessOf: FreshnessOf;
}

export interface RowsAtRevision {
  readonly revision: number;
  readonly rows: ResourceRow[];
  /** Which sources report the rows. */
  readonly own: ClientReport | undefined;
  readonly theirs: ClientReport | undefined;
}

/** Row lists of clients that somebody looks at: the next question about an unchanged client costs nothing. */
const rowListsKept = 20;

/** A client that changes wholly, again and again, while its rows are made: in the end it has to wait. */
const triesInSlices = 3;

/**
 * Clients' resources as rows. A list is the same array as long as its client stays the same, and rows that did not
 * change are the same objects in the next one: only changed rows are made anew. Many are made in slices.
 */
export class ClientRows {
  private readonly kept = new LRUCache<string, RowsAtRevision>({ max: rowListsKept });
  /** By client: rows that are being made. */
  private readonly making = new Map<string, Promise<RowsAtRevision | undefined>>();

  constructor(private readonly options: ClientRowsOptions) {}

  /** undefined: no such client. */
  async find(clientId: string): Promise<RowsAtRevision | undefined> {
    const kept = this.kept.get(clientId);
    if (kept?.revision === this.options.live.revisionOf(clientId)) return kept;
    const underWay = this.making.get(clientId);
    if (underWay !== undefined) return underWay;
    const making = this.make(clientId).finally(() => this.making.delete(clientId));
    this.making.set(clientId, making);
    return making;
  }

  private async make(clientId: string): Promise<RowsAtRevision | undefined> {
    const { live, freshnessOf } = this.options;
    for (let tries = 1; ; tries++) {
      const client = live.world.get(clientId);
      if (client === undefined) return undefined;
      const before = this.kept.get(clientId);
      const revision = live.revisionOf(clientId);
      if (before?.revision === revision) return before;
      const own = chooseReport(client, 'client', freshnessOf);
      const theirs = chooseReport(client, 'control-plane', freshnessOf);
      // Asked even when there is nothing to compare with: from then on it is remembered.
      const changed = live.changedSince(clientId, before?.revision ?? revision);
      const isSameWord = before?.own === own && before?.theirs === theirs;
      if (before !== undefined && changed !== undefined && isSameWord) {
        const rows = replaceRows(before.rows, changed, resourceRowFinder(client, freshnessOf));
        const now = { revision, rows, own, theirs };
        this.kept.set(clientId, now);
        return now;
      }
      const steps = buildResourceRows(client, freshnessOf);
      const rows = tries > triesInSlices ? runSteps(steps) : await takeSteps(steps);
      // What changed meanwhile is brought up to date in the next round.
      this.kept.set(clientId, { revision, rows, own, theirs });
    }
  }
}

/** The rows of these keys anew, or gone, or inserted where they belong; the same array when there are none. */
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

/** Index of the first row from `from` on that is not before the key. */
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
