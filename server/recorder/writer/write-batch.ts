import type { Recorded } from '@/lib/observation/observation';
import { decodeRows } from '../blocks/encoded-rows';
import type { BlockChange, LogBlocks } from '../blocks/log-blocks';
import type { LogRow } from '../blocks/log-row';
import { namedHashes } from '../bodies/named-hashes';
import type { LogStorage } from '../storage/log-storage';
import type { WriteBatch } from './batch-builder';

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
  storage: LogStorage,
  log: LogBlocks,
  batches: readonly WriteBatch[],
  tell: (observation: Recorded) => void,
): Written {
  return storage.transaction(() => {
    let bodies = 0;
    let change = log.unchanged;
    for (const batch of batches) {
      bodies += storage.bodies.insert(
        batch.bodies.map(({ from, to, ...body }) => ({ ...body, bytes: batch.bodyBytes.subarray(from, to) })),
      );
      const newestSeq = log.newestSeqAfter(change);
      const first = batch.seqs.findIndex((seq) => seq > newestSeq);
      const from = first === -1 ? batch.seqs.length : first;
      const rows = reportedRows(batch, from, ({ seq, observation }) => {
        for (const hash of namedHashes(observation)) storage.bodies.keep(hash, seq);
        tell(observation);
      });
      change = log.write(rows, batch, from, change);
      for (const gap of batch.gaps) storage.gaps.save(gap);
    }
    return { change, bodies };
  });
}

function* reportedRows(batch: WriteBatch, from: number, tell: (row: LogRow) => void): Generator<LogRow> {
  for (const row of decodeRows(batch, from)) {
    tell(row);
    yield row;
  }
}
