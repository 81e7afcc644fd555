import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';

/** Reading these takes some 100 ms, once after a start. */
const maxBlocks = 256;

/** Counts each client's observations since its newest snapshot, in the newest blocks. */
export function countSinceSnapshots(storage: LogStorage, log: LogBlocks): Map<string, number> {
  const held = storage.snapshots.newestSeqs();
  const counts = new Map<string, number>();
  let looked = 0;
  for (const block of log.between({ order: 'desc' })) {
    if (block === null || looked++ >= maxBlocks) break;
    for (let index = 0; index < block.count; index++) {
      const clientId = block.textOf('clients', index);
      if (clientId === null || block.seqAt(index) <= (held.get(clientId) ?? 0)) continue;
      counts.set(clientId, (counts.get(clientId) ?? 0) + 1);
    }
  }
  return counts;
}
