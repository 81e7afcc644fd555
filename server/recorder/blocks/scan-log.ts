import type { BlockMeta } from '../storage/immutable-stores';
import { matcherOf, mayMatch, termsOf } from './block-matcher';
import type { LogBlock } from './log-block';
import type { LogBlocks, SeqRange } from './log-blocks';
import type { HistoryFilter } from './log-entry';

/** `next`: where to go on (exclusive); null: all was looked through. */
export interface Slice<T> {
  readonly found: T;
  readonly next: number | null;
}

/** What one call looks through, in blocks: then whoever waits gets their turn. */
const blocksAtOnce = 32;
/** Passing over one that cannot match costs next to nothing, and some 20 µs where names or versions tell it. */
const passedAtOnce = 1_000;

/** Visits what matches until `visit` says false. Returns where to go on, null at the end. */
export function scanLog(
  log: LogBlocks,
  query: HistoryFilter & SeqRange,
  visit: (block: LogBlock, index: number) => boolean,
): number | null {
  const { order, afterSeq = 0, beforeSeq = Number.MAX_SAFE_INTEGER } = query;
  const terms = termsOf(query);
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
        if (matches(index) && !visit(block, index)) return block.seqAt(index);
      }
    }
    reached = block.seqAt(order === 'asc' ? block.count - 1 : 0);
  }
  return null;
}
