import { runSteps } from '@/lib/cooperative/steps';
import type { ClientState } from '@/lib/observation/client-state';
import type { LogBlocks } from '../blocks/log-blocks';
import { addHashes } from '../bodies/named-hashes';
import { readLog } from '../reader/read-log';
import { foldClient } from '../snapshots/fold-client';
import { deleteSnapshot, storeSnapshot } from '../snapshots/snapshots';
import type { LogStorage } from '../storage/log-storage';

/**
 * Stores the client as of `untilSeq` before the log up to there is deleted, so that every later time can still be
 * folded. Deletes older snapshots, keeps the bodies that the new one names, and drops a client that was removed by
 * then. Returns whether snapshots were deleted.
 */
export function rollBase(storage: LogStorage, log: LogBlocks, clientId: string, untilSeq: number): boolean {
  const folded = foldClient(storage, log, clientId, untilSeq);
  if (!folded) return false;
  const { state, beginsAt } = folded;
  if (isUnreported(state) && !isSeenAfter(log, clientId, untilSeq)) {
    return storage.transaction(() =>
      deleteAll(storage, clientId, unneeded(storage, log, clientId, untilSeq, false)),
    );
  }
  return storage.transaction(() => {
    const known = storage.snapshots.find(clientId, untilSeq);
    // Without later observations, the existing snapshot is still correct.
    if (!known || known.seq < state.seq) storeSnapshot(storage, state, untilSeq, beginsAt);
    const base = storage.snapshots.find(clientId, untilSeq);
    const keptUntil = storage.bodies.renew(hashesOf(state), untilSeq);
    if (base) storage.snapshots.setKeptUntil(base.id, keptUntil);
    return deleteAll(storage, clientId, unneeded(storage, log, clientId, base?.seq ?? 0, true));
  });
}

function deleteAll(storage: LogStorage, clientId: string, seqs: readonly number[]): boolean {
  for (const seq of seqs) deleteSnapshot(storage, clientId, seq);
  return seqs.length > 0;
}

/** Returns whether no source reports the client any longer. Only its last observation is kept. */
function isUnreported({ reports }: ClientState): boolean {
  return [...reports.values()].every(({ goneAt }) => goneAt !== null);
}

function isSeenAfter(log: LogBlocks, clientId: string, seq: number): boolean {
  const reader = { read: <T>(work: (log: LogBlocks) => T) => work(log) };
  return !runSteps(readLog(reader, { clientId, afterSeq: seq, order: 'asc' }, () => false));
}

export function hashesOf({ reports }: ClientState): Set<string> {
  const hashes = new Set<string>();
  for (const { resources } of reports.values()) addHashes(hashes, resources.values());
  return hashes;
}

/** Returns the snapshots before the base (and without `keepsLast` the base) that no pinned block needs. */
function unneeded(
  storage: LogStorage,
  log: LogBlocks,
  clientId: string,
  baseSeq: number,
  keepsLast: boolean,
): number[] {
  const seqs = storage.snapshots.seqsUntil(clientId, baseSeq);
  const pinned = log.metas.filter(({ isPinned }) => isPinned);
  return seqs.filter((seq, index) => {
    const next = seqs[index + 1] ?? (keepsLast ? undefined : Number.MAX_SAFE_INTEGER);
    if (next === undefined) return false;
    return !pinned.some(({ firstSeq, lastSeq }) => seq <= lastSeq && next >= firstSeq);
  });
}
