import { type LoadPart, type LoadScope, type LoadSeries, loadPartKey } from '@/lib/load/load-series';
import { RowNames } from '@/lib/load/row-names';

/** What one stream of a client reports, of all clusters. */
export interface StreamSeries {
  /** How many series all streams of the client have; the same object in each of them. */
  readonly ofClient: { count: number };
  /** By what it is of: a number of `RowNames`. */
  readonly rows: Map<number, number>;
  /** Of endpoints and metrics, by cluster and key. */
  readonly others: Map<string, number>;
}

interface ClientSeries {
  /** By stream and whether it is timed. */
  readonly streams: Map<number, StreamSeries>;
  readonly ofClient: StreamSeries['ofClient'];
}

const maxNameChars = 1_024;

/**
 * Numbers for series: the same one for the same, over restarts. At most `limit`, and `clientLimit` of a client of a source;
 * what is beyond has none, and its names are not kept.
 */
export class LoadNames {
  readonly #rowNames = new RowNames();
  /** Source -> client. */
  readonly #streams = new Map<string, Map<string, ClientSeries>>();
  #count = 0;
  #lastId = 0;
  /** Since the last `takeNew`. */
  #new: { id: number; series: LoadSeries }[] = [];

  constructor(
    private readonly limit: number,
    private readonly clientLimit = limit,
  ) {}

  /** What the file has. */
  restore(all: readonly { readonly id: number; readonly series: LoadSeries }[]): void {
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
    // Nothing can be added to it, and so nobody needs to find it again.
    if (this.#count >= this.limit) return series;
    this.#streams.set(sourceId, clients);
    clients.set(clientId, client);
    client.streams.set(key, series);
    return series;
  }

  /** undefined: there are too many already, or its name is too long. `scope` is kept where the series is new. */
  idOf(stream: StreamSeries, scope: LoadScope, part: LoadPart): number | undefined {
    const hasRoom = this.#count < this.limit && stream.ofClient.count < this.clientLimit;
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

  /** undefined: no series has such a name, and `mayAdd` says that none gets one. */
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

  takeNew(): readonly { readonly id: number; readonly series: LoadSeries }[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}

/** Of what LoadTable does not bound: addresses of endpoints and names of metrics. */
function nameCharsOf(part: LoadPart): number {
  if (part.kind === 'endpoint') return part.address.length;
  return part.kind === 'metric' ? part.address.length + part.name.length : 0;
}
