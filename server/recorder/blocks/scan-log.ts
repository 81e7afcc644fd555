import type { BlockMeta } from '../storage/immutable-stores';
import { isSure, matcherOf, mayMatch, termsOf } from './block-matcher';
import type { LogBlock } from './log-block';
import type { LogBlocks, SeqRange } from './log-blocks';
import { type HistoryFilter, matchesFilter } from './log-entry';

/** `next` is the seq after which (or before which) to continue, or null if the scan is complete. */
export interface Slice<T> {
  readonly found: T;
  readonly next: number | null;
}

/** Limits the blocks read per call, so that the worker thread can serve other requests in between. */
const blocksAtOnce = 32;
/** Limits the blocks skipped per call. Skipping a block by its hashes takes some 20 µs. */
const passedAtOnce = 1_000;

/** Visits matching observations until `visit` returns false. Returns where to continue, or null at the end. */
export function scanLog(
  log: LogBlocks,
  query: HistoryFilter & SeqRange,
  visit: (block: LogBlock, index: number) => boolean,
): number | null {
  const { order, afterSeq = 0, beforeSeq = Number.MAX_SAFE_INTEGER } = query;
  const terms = termsOf(query);
  const sure = isSure(query);
  const isHit = (block: LogBlock, index: number) => sure || matchesFilter(block.observation(index), query);
  let read = 0;
  let passed = 0;
  let reached: number | null = null;
  const may = (meta: BlockMeta) => {
    if (mayMatch(meta, query) && log.mayHold(meta, terms)) return true;
    reached = order === 'asc' ? meta.lastSeq : meta.firstSeq;
    return false;
  };
  for (const block of log.between(query, may)) {
    if (read >= blocksAtOnce || passed >= passedAtOnce) return reached;
    if (block === null) {
      passed += 1;
      continue;
    }
    read += 1;
    const matches = matcherOf(block, query);
    if (matches !== undefined) {
      const first = Math.max(0, block.firstAfter(afterSeq));
      const last = block.firstAfter(beforeSeq - 1) - 1;
      for (let step = 0; step <= last - first; step++) {
        const index = order === 'asc' ? first + step : last - step;
        if (matches(index) && isHit(block, index) && !visit(block, index)) return block.seqAt(index);
      }
    }
    reached = block.seqAt(order === 'asc' ? block.count - 1 : 0);
  }
  return null;
}

/** Returns the part of a range that is left after a scan returned `next`. */
export function rangeAfter<Range extends SeqRange>(range: Range, next: number): Range {
  return range.order === 'asc' ? { ...range, afterSeq: next } : { ...range, beforeSeq: next };
}
