import { type ChurnEntry, churnEntryOf } from '@/lib/churn/churn-entry';
import { churnKinds } from '@/lib/churn/churn-index';
import type { Steps } from '@/lib/cooperative/steps';
import type { EpochMs } from '@/lib/xds/units';
import { mayMatch } from '../blocks/block-matcher';
import type { LogReader } from './log-reader';

interface ChurnRange {
  /** Both ends are included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** If absent, the entries of all clients are read. */
  readonly clientId?: string;
}

/** Limits the blocks of one step. */
const blocksAtOnce = 64;

/**
 * Visits the churn entries of a range in the order of the log. A repeated content may be left out
 * (decodeChurn()). Returns the number of visited entries.
 */
export function* readChurn(
  reader: Pick<LogReader, 'read'>,
  range: ChurnRange,
  visit: (entry: ChurnEntry) => void,
): Steps<number> {
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
  let reachedSeq = 0;
  const isAtEnd = (): boolean =>
    reader.read((log) => {
      let blocks = 0;
      for (const meta of log.metas) {
        if (meta.lastSeq <= reachedSeq || !mayMatch(meta, { from, to, kinds: churnKinds })) continue;
        if (blocks === blocksAtOnce) return false;
        blocks += 1;
        const isPart = clientId !== undefined || meta.fromAt < from || meta.toAt > to;
        visitAll(log.churnOf(meta, isPart));
        reachedSeq = meta.lastSeq;
      }
      visitAll(log.tail.flatMap((observation) => churnEntryOf(observation) ?? []));
      return true;
    });
  while (!isAtEnd()) yield;
  return read;
}
