import type { LoadSeries } from '@/lib/load/load-series';
import type { SqlFile, SqlValue } from '../database/sql-file';

export interface FoundSeries extends LoadSeries {
  readonly id: number;
  readonly shard: number;
}

/** Series of a cluster, of a client, of both, or all: those of clients, of the fleet (load-fleet.ts), or both. */
export function findLoadSeries(
  sql: SqlFile,
  { cluster, clientId }: { readonly cluster?: string; readonly clientId?: string },
  whose: 'clients' | 'fleet' | 'all',
): FoundSeries[] {
  const conditions = whose === 'all' ? [] : [whose === 'fleet' ? 'id < 0' : 'id > 0'];
  const values: SqlValue[] = [];
  if (cluster !== undefined) {
    conditions.push('cluster = ?');
    values.push(cluster);
  }
  if (clientId !== undefined) {
    conditions.push('client_id = ?');
    values.push(clientId);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return sql
    .all<{ id: number; shard: number; json: string }>(
      `SELECT id, shard, json FROM series ${where} ORDER BY id`,
      values,
    )
    .map(({ id, shard, json }) => ({ id, shard, ...(JSON.parse(json) as LoadSeries) }));
}
