import type { Recorded } from '@/lib/observation/observation';
import { decodeRows } from '../blocks/encoded-rows';
import type { BlockChange, LogBlocks } from '../blocks/log-blocks';
import type { LogRow } from '../blocks/log-row';
import { insertBodies } from '../bodies/body-inserts';
import { type BodyTouches, isKept, touchBodies } from '../bodies/body-touches';
import { namedHashes } from '../bodies/named-hashes';
import type { SqlFile } from '../database/sql-file';
import type { Gap, WriteBatch } from './batch-builder';

/** What batches changed, for what is kept in memory beside the file. */
export interface Written {
  readonly change: BlockChange;
  readonly bodies: number;
}

/**
 * All of the batches in one transaction, and one wait for the disk. Repeating what was committed already changes
 * nothing. Each observation that is new to the log is reported, in order, before it is committed; an observation is an
 * object only while it is its turn.
 */
export function writeBatches(
  sql: SqlFile,
  log: LogBlocks,
  touches: BodyTouches,
  batches: readonly WriteBatch[],
  emit: (observation: Recorded) => void,
): Written {
  return sql.transaction(() => {
    let bodies = 0;
    let change = log.unchanged;
    for (const batch of batches) {
      const named = new Map<string, number>();
      bodies += insertBodies(sql, touches, named, batch);
      const newestSeq = log.newestSeqAfter(change);
      const first = batch.seqs.findIndex((seq) => seq > newestSeq);
      const from = first === -1 ? batch.seqs.length : first;
      const rows = reportedRows(batch, from, ({ seq, observation }) => {
        for (const hash of namedHashes(observation)) if (!isKept(touches, hash, seq)) named.set(hash, seq);
        emit(observation);
      });
      change = log.write(rows, batch, from, change);
      touchBodies(sql, touches, named);
      for (const gap of batch.gaps) insertGap(sql, gap);
    }
    return { change, bodies };
  });
}

function* reportedRows(batch: WriteBatch, from: number, emit: (row: LogRow) => void): Generator<LogRow> {
  for (const row of decodeRows(batch, from)) {
    emit(row);
    yield row;
  }
}

function insertGap(sql: SqlFile, { fromSeq, toSeq, fromAt, toAt, reason }: Gap): void {
  sql.run('INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?)', [fromSeq, toSeq, fromAt, toAt, reason]);
}
