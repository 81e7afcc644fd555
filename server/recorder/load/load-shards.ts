import type { LoadSeries } from '@/lib/load/load-series';
import type { SqlFile } from '../database/sql-file';

const seriesPerShard = 256;

interface Room {
  readonly shard: number;
  /** Series in it. */
  count: number;
}

/** Which shard a series is in: those of a cluster together, small clusters in shards that they share. */
export class LoadShards {
  readonly #ofSeries = new Map<number, number>();
  readonly #ofCluster = new Map<string, Room>();
  #shared: Room;
  #next = 1;

  constructor(private readonly sql: SqlFile) {
    const rooms = new Map<number, Room>();
    for (const { id, shard, cluster } of sql.all<{ id: number; shard: number; cluster: string }>(
      'SELECT id, shard, cluster FROM series ORDER BY abs(id)',
    )) {
      this.#ofSeries.set(id, shard);
      const room = rooms.get(shard) ?? { shard, count: 0 };
      rooms.set(shard, room);
      room.count += 1;
      this.#ofCluster.set(roomNameOf(id, cluster), room);
      this.#next = Math.max(this.#next, shard + 1);
    }
    this.#shared = { shard: this.#next++, count: 0 };
  }

  of(series: number): number {
    return this.#ofSeries.get(series) ?? 0;
  }

  /** Within a transaction. */
  add(all: readonly { readonly id: number; readonly series: LoadSeries }[]): void {
    for (const { id, series } of all) {
      const { clusterName, clientId } = series.scope;
      const { shard } = this.#roomFor(roomNameOf(id, clusterName));
      this.#ofSeries.set(id, shard);
      this.sql.run(
        'INSERT OR IGNORE INTO series (id, shard, client_id, cluster, json) VALUES (?, ?, ?, ?, ?)',
        [id, shard, clientId, clusterName, JSON.stringify(series)],
      );
    }
  }

  #roomFor(cluster: string): Room {
    const known = this.#ofCluster.get(cluster);
    let room = known ?? this.#shared;
    if (room.count >= seriesPerShard) {
      room = { shard: this.#next++, count: 0 };
      if (known === undefined) this.#shared = room;
    }
    this.#ofCluster.set(cluster, room);
    room.count += 1;
    return room;
  }
}

/** Series of all clients together (load-fleet.ts) are read by themselves, and lie by themselves. */
function roomNameOf(id: number, cluster: string): string {
  return id < 0 ? '\u0000fleet' : cluster;
}
