import type { LogBlocks } from '../blocks/log-blocks';
import type { SqlFile } from '../database/sql-file';

/** So far back is looked: some 100 ms, once after a start. */
const maxBlocks = 256;

/** How many of each client's observations its newest snapshot does not hold, as far as the newest blocks tell. */
export function countSinceSnapshots(sql: SqlFile, log: LogBlocks): Map<string, number> {
  const held = new Map<string, number>();
  for (const { clientId, seq } of sql.all<{ clientId: string; seq: number }>(
    'SELECT client_id AS clientId, max(seq) AS seq FROM snapshots GROUP BY client_id',
  )) {
    held.set(clientId, seq);
  }
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
