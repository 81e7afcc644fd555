import type { ClientState } from '@/lib/observation/client-state';
import type { LogBlocks } from '../blocks/log-blocks';
import { type BodyTouches, keepBodies } from '../bodies/body-touches';
import { addHashes } from '../bodies/named-hashes';
import type { SqlFile } from '../database/sql-file';
import { scanLog } from '../reader/scan-log';
import { foldClient } from '../snapshots/fold-client';
import { deleteSnapshot, findSnapshot, storeSnapshot } from '../snapshots/snapshots';

/**
 * Before what is up to `untilSeq` goes: keeps the client as it was there, so that every later moment can still be reported.
 * The snapshots before that go, and the bodies that it names stay. A client that is gone by then is dropped. Returns whether snapshots went.
 */
export function rollBase(
  sql: SqlFile,
  log: LogBlocks,
  touches: BodyTouches,
  clientId: string,
  untilSeq: number,
): boolean {
  const folded = foldClient(sql, log, clientId, untilSeq);
  if (!folded) return false;
  const { state, beginsAt } = folded;
  if (isGone(state) && !isSeenAfter(log, clientId, untilSeq)) {
    return sql.transaction(() => deleteAll(sql, clientId, unneeded(sql, log, clientId, untilSeq, false)));
  }
  return sql.transaction(() => {
    const known = findSnapshot(sql, clientId, untilSeq);
    // Nothing was observed of it since: what is kept serves on.
    if (!known || known.seq < state.seq) storeSnapshot(sql, state, untilSeq, beginsAt);
    const base = findSnapshot(sql, clientId, untilSeq);
    const keptUntil = keepBodies(sql, touches, hashesOf(state), untilSeq);
    sql.run('UPDATE snapshots SET kept_until = ? WHERE id = ?', [keptUntil, base?.id ?? null]);
    return deleteAll(sql, clientId, unneeded(sql, log, clientId, base?.seq ?? 0, true));
  });
}

function deleteAll(sql: SqlFile, clientId: string, seqs: readonly number[]): boolean {
  for (const seq of seqs) deleteSnapshot(sql, clientId, seq);
  return seqs.length > 0;
}

/** No source reports it any more: of such a client nothing is kept beyond its last observation. */
function isGone({ reports }: ClientState): boolean {
  return [...reports.values()].every(({ goneAt }) => goneAt !== null);
}

function isSeenAfter(log: LogBlocks, clientId: string, seq: number): boolean {
  let isSeen = false;
  for (let next: number | null = seq; next !== null && !isSeen; ) {
    next = scanLog(log, { clientId, afterSeq: next, order: 'asc' }, () => {
      isSeen = true;
      return false;
    });
  }
  return isSeen;
}

export function hashesOf({ reports }: ClientState): Set<string> {
  const hashes = new Set<string>();
  for (const { resources } of reports.values()) addHashes(hashes, resources.values());
  return hashes;
}

/** Older than the base (or it, too), and no pinned block begins with it or has it inside. */
function unneeded(
  sql: SqlFile,
  log: LogBlocks,
  clientId: string,
  baseSeq: number,
  keepsLast: boolean,
): number[] {
  const seqs = sql
    .all<{ seq: number }>('SELECT seq FROM snapshots WHERE client_id = ? AND seq <= ? ORDER BY seq', [
      clientId,
      baseSeq,
    ])
    .map(({ seq }) => seq);
  const pinned = log.metas.filter(({ isPinned }) => isPinned);
  return seqs.filter((seq, index) => {
    const next = seqs[index + 1] ?? (keepsLast ? undefined : Number.MAX_SAFE_INTEGER);
    if (next === undefined) return false;
    return !pinned.some(({ firstSeq, lastSeq }) => seq <= lastSeq && next >= firstSeq);
  });
}
