import { type LoadPart, type LoadScope, type LoadSeries, loadPartKey } from '@/lib/load/load-series';
import { RowNames } from '@/lib/load/row-names';

/** What one stream of a client tells, of all clusters. */
export interface StreamSeries {
  /** By what it is of: a number of `RowNames`. */
  readonly rows: Map<number, number>;
  /** Of endpoints and metrics, by cluster and key; of most streams there are none. */
  others: Map<string, number> | undefined;
}

/** Numbers for series: the same one for the same, over restarts. At most so many; what is beyond has none. */
export class LoadNames {
  readonly #rowNames = new RowNames();
  /** Source -> client -> stream and whether it is timed. */
  readonly #streams = new Map<string, Map<string, Map<number, StreamSeries>>>();
  #count = 0;
  #lastId = 0;
  /** Since the last `takeNew`. */
  #new: { id: number; series: LoadSeries }[] = [];

  constructor(private readonly limit: number) {}

  /** What the file has. */
  restore(all: readonly { readonly id: number; readonly series: LoadSeries }[]): void {
    for (const { id, series } of all) {
      const { scope, part } = series;
      const { rows, others, key } = this.#placeOf(this.streamOf(scope), scope, part);
      if (typeof key === 'number') rows.set(key, id);
      else others.set(key, id);
      this.#lastId = Math.max(this.#lastId, id);
      this.#count += 1;
    }
  }

  streamOf({ sourceId, clientId, stream, isTimed }: Omit<LoadScope, 'vantage'>): StreamSeries {
    let clients = this.#streams.get(sourceId);
    if (clients === undefined) {
      clients = new Map();
      this.#streams.set(sourceId, clients);
    }
    let streams = clients.get(clientId);
    if (streams === undefined) {
      streams = new Map();
      clients.set(clientId, streams);
    }
    const key = 2 * stream + (isTimed ? 1 : 0);
    let series = streams.get(key);
    if (series === undefined) {
      series = { rows: new Map(), others: undefined };
      streams.set(key, series);
    }
    return series;
  }

  /** undefined: there are too many already. `scope` is kept where the series is new. */
  idOf(stream: StreamSeries, scope: LoadScope, part: LoadPart): number | undefined {
    const { rows, others, key } = this.#placeOf(stream, scope, part);
    const known = typeof key === 'number' ? rows.get(key) : others.get(key);
    if (known !== undefined) return known;
    if (this.#count >= this.limit) return undefined;
    this.#count += 1;
    const id = ++this.#lastId;
    if (typeof key === 'number') rows.set(key, id);
    else others.set(key, id);
    this.#new.push({ id, series: { scope, part } });
    return id;
  }

  #placeOf(
    stream: StreamSeries,
    { clusterName, clusterServiceName }: LoadScope,
    part: LoadPart,
  ): {
    readonly rows: Map<number, number>;
    readonly others: Map<string, number>;
    readonly key: number | string;
  } {
    const names = this.#rowNames;
    const { rows } = stream;
    const cluster = names.clusterOf(clusterName, clusterServiceName);
    switch (part.kind) {
      case 'cluster':
        return { rows, others: none, key: cluster };
      case 'drop':
        return { rows, others: none, key: names.categoryOf(cluster, part.category) };
      case 'locality':
        return { rows, others: none, key: names.localityOf(cluster, part.locality, part.priority) };
      case 'endpoint':
      case 'metric':
        stream.others ??= new Map();
        return { rows, others: stream.others, key: `${cluster}\u0000${loadPartKey(part)}` };
    }
  }

  takeNew(): readonly { readonly id: number; readonly series: LoadSeries }[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}

const none: Map<string, number> = new Map();
