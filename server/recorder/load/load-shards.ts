import { by } from '@/lib/collections/compare';
import type { FoundSeries, LoadStorage, NewSeries } from '../storage/load-storage';

const seriesPerShard = 256;

interface Room {
  readonly shard: number;
  count: number;
}

/** Assigns series to shards: the series of a cluster are in one shard, and small clusters share shards. */
export class LoadShards {
  readonly #storage: LoadStorage;

  readonly #ofSeries = new Map<number, number>();
  readonly #ofCluster = new Map<string, Room>();
  #shared: Room;
  #next = 1;

  constructor(storage: LoadStorage, series: readonly FoundSeries[]) {
    this.#storage = storage;

    const rooms = new Map<number, Room>();
    for (const { id, shard, scope } of series.toSorted(by((each) => Math.abs(each.id)))) {
      this.#ofSeries.set(id, shard);
      const room = rooms.get(shard) ?? { shard, count: 0 };
      rooms.set(shard, room);
      room.count += 1;
      this.#ofCluster.set(roomNameOf(id, scope.clusterName), room);
      this.#next = Math.max(this.#next, shard + 1);
    }
    this.#shared = { shard: this.#next++, count: 0 };
  }

  of(series: number): number {
    return this.#ofSeries.get(series) ?? 0;
  }

  add(all: readonly NewSeries[]): void {
    const placed = all.map(({ id, series }) => {
      const { shard } = this.#roomFor(roomNameOf(id, series.scope.clusterName));
      this.#ofSeries.set(id, shard);
      return { id, series, shard };
    });
    this.#storage.addSeries(placed);
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

/** Series of the fleet (load-fleet.ts) have shards of their own, because they are read without those of clients. */
function roomNameOf(id: number, cluster: string): string {
  return id < 0 ? '\u0000fleet' : cluster;
}
