import type { ClientState } from '@/lib/observation/client-state';
import { type BodyTouches, keepBodies } from './body-touches';
import { foldClient } from './fold-client';
import type { LogBlocks } from './log-blocks';
import { addHashes } from './named-hashes';
import { deleteSnapshot, findSnapshot, storeSnapshot } from './snapshots';
import type { SqlFile } from './sql-file';

/**
 * Before what is up to `untilSeq` goes: keeps the client as it was there, so that every later moment can still be told.
 * The snapshots before that go, and the bodies that it names stay. Returns whether snapshots went.
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
  return sql.transaction(() => {
    const known = findSnapshot(sql, clientId, untilSeq);
    // Nothing was observed of it since: what is kept serves on.
    if (!known || known.seq < state.seq) storeSnapshot(sql, state, untilSeq, beginsAt);
    const base = findSnapshot(sql, clientId, untilSeq);
    const keptUntil = keepBodies(sql, touches, hashesOf(state), untilSeq);
    sql.run('UPDATE snapshots SET kept_until = ? WHERE id = ?', [keptUntil, base?.id ?? null]);
    let hasDeleted = false;
    for (const seq of unneeded(sql, log, clientId, base?.seq ?? 0)) {
      deleteSnapshot(sql, clientId, seq);
      hasDeleted = true;
    }
    return hasDeleted;
  });
}

export function hashesOf({ reports }: ClientState): Set<string> {
  const hashes = new Set<string>();
  for (const { resources } of reports.values()) addHashes(hashes, resources.values());
  return hashes;
}

/** Older than the base, and no pinned block begins with it or has it inside. */
function unneeded(sql: SqlFile, log: LogBlocks, clientId: string, baseSeq: number): number[] {
  const seqs = sql
    .all<{ seq: number }>('SELECT seq FROM snapshots WHERE client_id = ? AND seq <= ? ORDER BY seq', [
      clientId,
      baseSeq,
    ])
    .map(({ seq }) => seq);
  const pinned = log.metas.filter(({ isPinned }) => isPinned);
  return seqs.filter((seq, index) => {
    const next = seqs[index + 1];
    if (next === undefined) return false;
    return !pinned.some(({ firstSeq, lastSeq }) => seq <= lastSeq && next >= firstSeq);
  });
}
