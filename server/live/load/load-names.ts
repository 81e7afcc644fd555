import { type LoadPart, type LoadScope, loadPartKey } from '@/lib/load/load-series';
import type { NewSeries } from '../../store/load/load-rows';

/** Series of one stream of a client, in all clusters, by their names. */
interface StreamSeries {
  /** Number of series of all streams of the client, which share the object. */
  readonly ofClient: { count: number };
  readonly ids: Map<string, number>;
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

  /** One string for the equal names of all streams. */
  readonly #sharedNames = new Map<string, string>();
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
      this.#add(stream, nameOf(scope, part), id);
      this.#lastId = Math.max(this.#lastId, id);
    }
  }

  streamOf({ sourceId, clientId, stream, isTimed }: Omit<LoadScope, 'vantage'>): StreamSeries {
    const clients = this.#streams.get(sourceId) ?? new Map<string, ClientSeries>();
    const client = clients.get(clientId) ?? { streams: new Map(), ofClient: { count: 0 } };
    const key = 2 * stream + (isTimed ? 1 : 0);
    const known = client.streams.get(key);
    if (known !== undefined) return known;
    const series: StreamSeries = { ofClient: client.ofClient, ids: new Map() };
    // Nothing can be added to this object, so it is not stored.
    if (this.#count >= this.#limit) return series;
    this.#streams.set(sourceId, clients);
    clients.set(clientId, client);
    client.streams.set(key, series);
    return series;
  }

  /** Returns undefined if there are too many series, or if the name is too long. Retains `scope` of a new series. */
  idOf(stream: StreamSeries, scope: LoadScope, part: LoadPart): number | undefined {
    const name = nameOf(scope, part);
    const known = stream.ids.get(name);
    const hasRoom = this.#count < this.#limit && stream.ofClient.count < this.#clientLimit;
    if (known !== undefined || !hasRoom || nameCharsOf(part) > maxNameChars) return known;
    const id = ++this.#lastId;
    this.#add(stream, name, id);
    this.#new.push({ id, series: { scope, part } });
    return id;
  }

  #add({ ofClient, ids }: StreamSeries, name: string, id: number): void {
    const shared = this.#sharedNames.get(name) ?? name;
    this.#sharedNames.set(shared, shared);
    ids.set(shared, id);
    ofClient.count += 1;
    this.#count += 1;
  }

  takeNew(): readonly NewSeries[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}

function nameOf({ clusterName, clusterServiceName }: LoadScope, part: LoadPart): string {
  return `${clusterName}\u0000${clusterServiceName}\u0000${loadPartKey(part)}`;
}

/** Returns the length of the names that LoadTable does not limit: addresses of endpoints and names of metrics. */
function nameCharsOf(part: LoadPart): number {
  if (part.kind === 'endpoint') return part.address.length;
  return part.kind === 'metric' ? part.address.length + part.name.length : 0;
}
