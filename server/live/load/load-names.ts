import { type LoadPart, type LoadScope, loadPartKey } from '@/lib/load/load-series';
import { RowNames } from '@/lib/load/row-names';
import type { NewSeries } from '../../store/load/load-rows';

/** Series of one stream of a client, in all clusters. */
interface StreamSeries {
  /** Number of series of all streams of the client, which share the object. */
  readonly ofClient: { count: number };
  /** The key is the number in `RowNames`. */
  readonly rows: Map<number, number>;
  /** The series of endpoints and metrics by cluster and key. */
  readonly others: Map<string, number>;
}

interface ClientSeries {
  /** The key is composed of the stream and of whether it is timed. */
  readonly streams: Map<number, StreamSeries>;
  readonly ofClient: StreamSeries['ofClient'];
}

const maxNameChars = 1_024;

/**
 * Numbers series, with the same numbers after a restart. There are at most `limit` series, and at most `clientLimit`
 * per client of a source; further ones get no number, and their names are not stored.
 */
export class LoadNames {
  readonly #limit: number;
  readonly #clientLimit: number;

  readonly #rowNames = new RowNames();
  /** The keys are source and client. */
  readonly #streams = new Map<string, Map<string, ClientSeries>>();
  #count = 0;
  #lastId = 0;
  /** Series that were added since the last takeNew(). */
  #new: NewSeries[] = [];

  constructor(limit: number, clientLimit = limit) {
    this.#limit = limit;
    this.#clientLimit = clientLimit;
  }

  restore(all: readonly NewSeries[]): void {
    for (const { id, series } of all) {
      const { scope, part } = series;
      const stream = this.streamOf(scope);
      const key = this.#keyOf(scope, part, true);
      if (key !== undefined) this.#add(stream, key, id);
      this.#lastId = Math.max(this.#lastId, id);
    }
  }

  streamOf({ sourceId, clientId, stream, isTimed }: Omit<LoadScope, 'vantage'>): StreamSeries {
    const clients = this.#streams.get(sourceId) ?? new Map<string, ClientSeries>();
    const client = clients.get(clientId) ?? { streams: new Map(), ofClient: { count: 0 } };
    const key = 2 * stream + (isTimed ? 1 : 0);
    const known = client.streams.get(key);
    if (known !== undefined) return known;
    const series: StreamSeries = { ofClient: client.ofClient, rows: new Map(), others: new Map() };
    // Nothing can be added to this object, so it is not stored.
    if (this.#count >= this.#limit) return series;
    this.#streams.set(sourceId, clients);
    clients.set(clientId, client);
    client.streams.set(key, series);
    return series;
  }

  /** Returns undefined if there are too many series, or if the name is too long. Retains `scope` of a new series. */
  idOf(stream: StreamSeries, scope: LoadScope, part: LoadPart): number | undefined {
    const hasRoom = this.#count < this.#limit && stream.ofClient.count < this.#clientLimit;
    const key = this.#keyOf(scope, part, hasRoom);
    if (key === undefined) return undefined;
    const known = typeof key === 'number' ? stream.rows.get(key) : stream.others.get(key);
    if (known !== undefined || !hasRoom || nameCharsOf(part) > maxNameChars) return known;
    const id = ++this.#lastId;
    this.#add(stream, key, id);
    this.#new.push({ id, series: { scope, part } });
    return id;
  }

  #add({ ofClient, rows, others }: StreamSeries, key: number | string, id: number): void {
    if (typeof key === 'number') rows.set(key, id);
    else others.set(key, id);
    ofClient.count += 1;
    this.#count += 1;
  }

  /** Returns undefined if no series has such a name, and `mayAdd` is false. */
  #keyOf(
    { clusterName, clusterServiceName }: LoadScope,
    part: LoadPart,
    mayAdd: boolean,
  ): number | string | undefined {
    const names = this.#rowNames;
    const cluster = mayAdd
      ? names.clusterOf(clusterName, clusterServiceName)
      : names.findCluster(clusterName, clusterServiceName);
    if (cluster === undefined) return undefined;
    if (part.kind === 'endpoint' || part.kind === 'metric') return `${cluster}\u0000${loadPartKey(part)}`;
    return this.#rowOf(cluster, part, mayAdd);
  }

  #rowOf(
    cluster: number,
    part: Exclude<LoadPart, { kind: 'endpoint' | 'metric' }>,
    mayAdd: boolean,
  ): number | undefined {
    const names = this.#rowNames;
    switch (part.kind) {
      case 'cluster':
        return cluster;
      case 'drop':
        return mayAdd ? names.categoryOf(cluster, part.category) : names.findCategory(cluster, part.category);
      case 'locality':
        return mayAdd
          ? names.localityOf(cluster, part.locality, part.priority)
          : names.findLocality(cluster, part.locality, part.priority);
    }
  }

  takeNew(): readonly NewSeries[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}

/** Returns the length of the names that LoadTable does not limit: addresses of endpoints and names of metrics. */
function nameCharsOf(part: LoadPart): number {
  if (part.kind === 'endpoint') return part.address.length;
  return part.kind === 'metric' ? part.address.length + part.name.length : 0;
}
