import type { EpochMs } from '@/lib/xds/units';
import type { ClientTexts } from './client-texts';
import type { LogBlocks } from './log-blocks';
import { clientTexts, findSnapshot, restoreSnapshot, type SnapshotRow } from './snapshots';
import type { SqlFile } from './sql-file';

/** What a client was at a place from which its history can be told. */
export interface HistoryBase {
  readonly texts: ClientTexts;
  /** Everything up to here is in it. */
  readonly seq: number;
  readonly at: EpochMs;
}

/** So many snapshots lie between it and the end: some 16,000 observations, more of a client with many rows. */
const snapshotsBack = 16;

/**
 * Where the telling of a client's newest past up to a moment should begin, however long the log is. undefined: with the
 * first observation of the client in the log, before which there was nothing.
 */
export function readHistoryBase(
  sql: SqlFile,
  log: LogBlocks,
  clientId: string,
  until: EpochMs,
): HistoryBase | undefined {
  const untilSeq = log.seqAt(until, clientId);
  const oldest = log.oldest;
  if (untilSeq === null || oldest === undefined) return undefined;
  const snapshot =
    findSnapshot(sql, clientId, untilSeq, snapshotsBack) ?? findSnapshot(sql, clientId, oldest.seq - 1);
  if (snapshot === undefined) return undefined;
  const texts = clientTexts(sql, restoreSnapshot(sql, snapshot));
  return { texts, seq: snapshot.seq, at: timeOf(log, snapshot) ?? oldest.at };
}

/** undefined: the log begins later. */
function timeOf(log: LogBlocks, { seq }: SnapshotRow): EpochMs | undefined {
  for (const block of log.between({ beforeSeq: seq + 1, order: 'desc' })) {
    return block?.atAt(block.firstAfter(seq) - 1);
  }
  return undefined;
}
