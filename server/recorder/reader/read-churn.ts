import { type ChurnEntry, churnEntryOf } from '@/lib/churn/churn-entry';
import { churnKinds } from '@/lib/churn/churn-index';
import type { EpochMs } from '@/lib/xds/units';
import { mayMatch } from '../blocks/block-matcher';
import type { LogBlocks } from '../blocks/log-blocks';

export interface ChurnRange {
  /** Both ends are included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Absent: all clients. */
  readonly clientId?: string;
}

/**
 * Visits the churn entries of a range in the order of the log. A repeated content may be left out (decodeChurn()).
 * Returns the number of visited entries.
 */
export function readChurn(log: LogBlocks, range: ChurnRange, visit: (entry: ChurnEntry) => void): number {
  const { from, to, clientId } = range;
  let read = 0;
  const visitAll = (entries: readonly ChurnEntry[]) => {
    for (const entry of entries) {
      if (entry.at < from || entry.at > to) continue;
      if (clientId !== undefined && entry.clientId !== clientId) continue;
      read += 1;
      visit(entry);
    }
  };
  for (const meta of log.metas) {
    if (!mayMatch(meta, { from, to, kinds: churnKinds })) continue;
    const isPart = clientId !== undefined || meta.fromAt < from || meta.toAt > to;
    visitAll(log.churnOf(meta, isPart));
  }
  visitAll(log.tail.flatMap((observation) => churnEntryOf(observation) ?? []));
  return read;
}
