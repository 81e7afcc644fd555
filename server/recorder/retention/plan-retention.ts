import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import { namedHashes } from '../bodies/named-hashes';
import { foldClient } from '../snapshots/fold-client';
import type { BlockMeta } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';
import { isInPin, releaseBlocks } from './pins';
import type { RetentionLimits } from './retention';
import { hashesOf } from './roll-base';

/** The oldest part of the log, which exceeds the limits. */
interface RetentionPlan {
  readonly untilSeq: number;
  /** Clients whose state at `untilSeq` must be stored before the part is deleted. */
  readonly clientIds: readonly string[];
}

const blocksAtOnce = 16;
const rowsAtOnce = 1000;

/**
 * Returns the part that is to be deleted next, or null if there is none. Observations after the newest checkpoint are
 * never deleted, because a restart needs them. Blocks in pinned ranges are marked as pinned and skipped.
 */
export function planRetention(
  storage: LogStorage,
  log: LogBlocks,
  limits: RetentionLimits,
): RetentionPlan | null {
  const checkpointSeq = storage.checkpoints.newest()?.seq;
  if (checkpointSeq === undefined) return null;
  releaseBlocks(storage, log);
  const pins = storage.pins.list();
  const excess = excessOf(storage, log, limits);
  const run: BlockMeta[] = [];
  let count = 0;
  for (const meta of log.metas.filter(({ isPinned }) => !isPinned)) {
    const isTooMuch = count < excess;
    if (meta.lastSeq > checkpointSeq || !(isTooMuch || meta.toAt < limits.olderThan)) break;
    // Deleting a block for less than half of its observations would delete too many.
    if (
      meta.toAt >= limits.olderThan &&
      excess - count < meta.count / 2 &&
      storage.size().usedBytes <= limits.maxBytes
    )
      break;
    if (isInPin(pins, meta, () => log.block(meta))) {
      if (run.length > 0) break;
      storage.pins.pinBlock(meta.firstSeq, hashesToPin(storage, log, meta));
      log.setPinned([meta], true);
      continue;
    }
    run.push(meta);
    count += meta.count;
    if (run.length === blocksAtOnce) break;
  }
  const last = run.at(-1);
  if (last)
    return {
      untilSeq: last.lastSeq,
      clientIds: clientsOf(
        storage,
        run.map((meta) => log.block(meta)),
        last.lastSeq,
      ),
    };
  if (log.metas.some(({ isPinned }) => !isPinned)) return null;
  return planTail(storage, log, { ...limits, checkpointSeq, excess });
}

/** Plans among the rows that are waiting for a block, when all blocks are pinned. */
function planTail(
  storage: LogStorage,
  log: LogBlocks,
  limits: RetentionLimits & { readonly checkpointSeq: number; readonly excess: number },
): RetentionPlan | null {
  const pins = storage.pins.list();
  let untilSeq: number | null = null;
  for (const [index, { seq, at }] of log.tail.entries()) {
    if (seq > limits.checkpointSeq || index >= rowsAtOnce) break;
    if (index >= limits.excess && at >= limits.olderThan) break;
    if (pins.some(({ from, to }) => at >= from && at <= to)) break;
    untilSeq = seq;
  }
  const block = log.tailBlock;
  if (untilSeq === null || block === undefined) return null;
  return { untilSeq, clientIds: clientsOf(storage, [block], untilSeq) };
}

/** Returns how many observations exceed the limits of size and number. */
function excessOf(storage: LogStorage, log: LogBlocks, { maxBytes, maxCount }: RetentionLimits): number {
  const used = storage.size().usedBytes;
  const share = used > maxBytes ? (used - maxBytes) / used : 0;
  // Half of what the sizes suggest, because bodies that only these observations name are deleted with them. The rest is
  // planned in the next round.
  const bySize = share > 0 ? Math.max(1, Math.floor((log.count * share) / 2)) : 0;
  return Math.max(bySize, log.count - maxCount, 0);
}

/** Returns the clients of these blocks, and those whose snapshots must be renewed. */
function clientsOf(storage: LogStorage, blocks: readonly LogBlock[], untilSeq: number): string[] {
  const found = new Set<string>();
  for (const { columns } of blocks) {
    for (const number of new Set(columns.clients)) {
      const clientId = columns.strings[number];
      if (number > 0 && clientId !== undefined) found.add(clientId);
    }
  }
  for (const clientId of storage.snapshots.clientsKeptUntil(untilSeq)) found.add(clientId);
  return [...found];
}

/**
 * Returns the bodies that the observations of a block name. For the first of adjacent pinned blocks, those of its
 * clients' states before the block are included.
 */
function hashesToPin(storage: LogStorage, log: LogBlocks, meta: BlockMeta): Set<string> {
  const block = log.block(meta);
  const hashes = new Set<string>();
  for (let index = 0; index < block.count; index++) {
    for (const hash of namedHashes(block.observation(index))) hashes.add(hash);
  }
  const before = log.metas[log.metas.indexOf(meta) - 1];
  if (before?.isPinned) return hashes;
  for (const number of new Set(block.columns.clients)) {
    const clientId = number > 0 ? block.columns.strings[number] : undefined;
    const folded = clientId === undefined ? undefined : foldClient(storage, log, clientId, meta.firstSeq - 1);
    if (folded) for (const hash of hashesOf(folded.state)) hashes.add(hash);
  }
  return hashes;
}
