import type { Recorded } from '@/lib/observation/observation';
import { decodeRows } from '../blocks/encoded-rows';
import type { BlockChange, LogBlocks } from '../blocks/log-blocks';
import { namedHashes } from '../bodies/named-hashes';
import type { LogStorage } from '../storage/log-storage';
import type { WriteBatch } from './batch-builder';

/** What is to be updated in memory after the commit. */
export interface Written {
  readonly change: BlockChange;
  readonly bodies: number;
}

/**
 * Writes all batches in one transaction. Repeating batches that were committed changes nothing. Calls `visit` with
 * each observation that is new to the log, in order and before the commit; only one is in memory as an object at a
 * time.
 */
export function writeBatches(
  storage: LogStorage,
  log: LogBlocks,
  batches: readonly WriteBatch[],
  visit: (observation: Recorded) => void,
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
      const rows = visitedRows(batch, from, (observation) => {
        for (const hash of namedHashes(observation)) storage.bodies.keep(hash, observation.seq);
        visit(observation);
      });
      change = log.write(rows, batch, from, change);
      for (const gap of batch.gaps) storage.gaps.save(gap);
    }
    return { change, bodies };
  });
}

function* visitedRows(batch: WriteBatch, from: number, visit: (row: Recorded) => void): Generator<Recorded> {
  for (const row of decodeRows(batch, from)) {
    visit(row);
    yield row;
  }
}
