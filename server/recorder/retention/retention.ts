import type { LogBlocks } from '../blocks/log-blocks';
import type { UnnamedBody } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';

export interface RetentionLimits {
  /** Observations made before this moment are deleted. */
  readonly olderThan: number;
  /** While the recording is larger, its oldest observations are deleted regardless of age. */
  readonly maxBytes: number;
  /** The same for the number of observations. */
  readonly maxCount: number;
}

/** Deletes what is up to `untilSeq`, except for pinned blocks. Returns how many observations were deleted. */
export function deleteObservations(storage: LogStorage, log: LogBlocks, untilSeq: number): number {
  const before = log.count;
  const change = storage.transaction(() => {
    storage.gaps.deleteUntil(untilSeq);
    return log.deleteUntil(untilSeq);
  });
  log.apply(change);
  return before - log.count;
}

/**
 * Bodies that no observation, checkpoint, permalink or pin names any more. Other parts of the process may still take them
 * for stored: they must forget them before deleteUnnamedBodies() is called.
 */
export function findUnnamedBodies(storage: LogStorage, log: LogBlocks, limit: number): UnnamedBody[] {
  const keptFrom = oldestNamingSeq(storage, log);
  return keptFrom === null ? [] : storage.bodies.findUnnamed(keptFrom, limit);
}

/** Deletes those that are still unnamed: one may have been named again since it was found. Returns how many. */
export function deleteUnnamedBodies(storage: LogStorage, log: LogBlocks, ids: readonly number[]): number {
  const keptFrom = oldestNamingSeq(storage, log);
  return keptFrom === null ? 0 : storage.bodies.deleteUnnamed(ids, keptFrom);
}

/**
 * Returns the least seq that anything that names bodies can have: an observation in the log, or the newest
 * checkpoint. null: unknown, because there is no checkpoint, or because a body may have been named in a gap since it.
 * A body that only the observation at the checkpoint's own seq named is kept until the next checkpoint.
 */
function oldestNamingSeq(storage: LogStorage, log: LogBlocks): number | null {
  const checkpoint = storage.checkpoints.newest();
  if (!checkpoint) return null;
  if (storage.gaps.totals().newestSeq > checkpoint.seq) return null;
  const oldest = log.oldest?.seq;
  return oldest === undefined ? checkpoint.seq : Math.min(oldest, checkpoint.seq);
}
