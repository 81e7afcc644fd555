import type { LogBlocks } from '../blocks/log-blocks';
import type { UnnamedBody } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';

export interface RetentionLimits {
  /** Observations made before this moment are deleted. */
  readonly olderThan: number;
  /** While the recording is larger, its oldest observations are deleted regardless of age. */
  readonly maxBytes: number;
  /** While there are more observations, the oldest ones are deleted regardless of age. */
  readonly maxCount: number;
}

/** Deletes the observations up to `untilSeq` that are not in pinned blocks. Returns their number. */
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
 * Returns bodies that no observation, checkpoint, permalink or pin names any longer. Other parts of the process may
 * assume that they are stored, and must forget them before deleteUnnamedBodies() is called.
 */
export function findUnnamedBodies(storage: LogStorage, log: LogBlocks, limit: number): UnnamedBody[] {
  const keptFrom = oldestNamingSeq(storage, log);
  return keptFrom === null ? [] : storage.bodies.findUnnamed(keptFrom, limit);
}

/** Deletes those bodies that are still unnamed, because one may have been named since. Returns their number. */
export function deleteUnnamedBodies(storage: LogStorage, log: LogBlocks, ids: readonly number[]): number {
  const keptFrom = oldestNamingSeq(storage, log);
  return keptFrom === null ? 0 : storage.bodies.deleteUnnamed(ids, keptFrom);
}

/**
 * Returns the least seq of an observation in the log, or of the newest checkpoint, that can name a body. null if it is
 * unknown, because there is no checkpoint, or because a body may have been named in a gap since the checkpoint. A body
 * that only the observation at the checkpoint's own seq named is kept until the next checkpoint.
 */
function oldestNamingSeq(storage: LogStorage, log: LogBlocks): number | null {
  const checkpoint = storage.checkpoints.newest();
  if (!checkpoint) return null;
  if (storage.gaps.totals().newestSeq > checkpoint.seq) return null;
  const oldest = log.oldest?.seq;
  return oldest === undefined ? checkpoint.seq : Math.min(oldest, checkpoint.seq);
}
