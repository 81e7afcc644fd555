import { type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { World } from '@/lib/observation/fold';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { resourceRowFinder } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { mostRowsReported, type StreamChange, type StreamTopic } from '@/lib/views/stream/schema';
import type { Clock } from '../observe';

interface ChangePublisherOptions {
  readonly clock: Clock;
  readonly world: World;
  readonly publish: (change: StreamChange) => void;
  /** Returns whether a browser is subscribed to the topic; without this function, one is assumed. */
  readonly hasSubscriber?: (topic: StreamTopic) => boolean;
  readonly freshnessOf: FreshnessOf;
  readonly summarise: (client: ClientState) => ClientSummary;
}

/** The changes of a client are collected for this time, so that a burst of polls is published once. */
const gatherMs = 100;
/** The approximate number of rows that are published on one turn of the event loop. */
const rowsPerTurn = 1_000;

/** Collects the changes of each client and publishes them later, in turns of the event loop. */
export class ChangePublisher {
  readonly #options: ChangePublisherOptions;
  #newestSeq: number;
  #publishedSeq: number;

  /** The changed rows of each client; empty if only its freshness changed. */
  readonly #dirty = new Map<string, Map<string, ResourceKey>>();
  /** Clients of `dirty` whose rows have to be read again. */
  readonly #renewed = new Set<string>();
  /** The newest position in the log of each client that is not published yet. */
  readonly #grown = new Map<string, number>();
  #timer: { cancel(): void } | undefined;

  constructor(options: ChangePublisherOptions, newestSeq: number) {
    this.#options = options;
    this.#newestSeq = newestSeq;
    this.#publishedSeq = newestSeq;
  }

  /** `clientId` is the client of the newest observation, or null if it has none. */
  noteGrowth(seq: number, clientId: string | null): void {
    this.#newestSeq = seq;
    if (clientId !== null) this.#grown.set(clientId, seq);
    this.#publishLater(gatherMs);
  }

  noteRows(clientId: string, keys: readonly ResourceKey[]): void {
    let rows = this.#dirty.get(clientId);
    if (rows === undefined) {
      rows = new Map();
      this.#dirty.set(clientId, rows);
    }
    for (const key of keys) {
      if (rows.size > mostRowsReported) break;
      rows.set(resourceKey(key), { typeUrl: key.typeUrl, name: key.name });
    }
    this.#publishLater(gatherMs);
  }

  /** Any row of the client may have changed. */
  noteAllRows(clientId: string): void {
    this.#renewed.add(clientId);
    this.noteRows(clientId, []);
  }

  forget(clientId: string): void {
    this.#dirty.delete(clientId);
    this.#renewed.delete(clientId);
    this.#grown.delete(clientId);
  }

  /** Publishes all collected changes now. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#publish(Number.POSITIVE_INFINITY);
  }

  #publishLater(delayMs: number): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#publish(rowsPerTurn);
      // The event loop runs other work before the next part.
      if (this.#dirty.size > 0 || this.#grown.size > 0) this.#publishLater(0);
    }, delayMs);
  }

  #publish(mostRows: number): void {
    const { world, publish, hasSubscriber, summarise } = this.#options;
    let rows = 0;
    if (this.#dirty.size > 0) publish({ type: 'fleet' });
    for (const [clientId, keys] of this.#dirty) {
      if (rows >= mostRows) return;
      this.#dirty.delete(clientId);
      const isRenewed = this.#renewed.delete(clientId) || keys.size > mostRowsReported;
      const client = world.get(clientId);
      if (client === undefined) continue;
      rows += 1 + keys.size;
      // A browser that subscribes later reads the rows again.
      if (hasSubscriber?.(`client:${clientId}`) === false) {
        publish({ type: 'resources-renewed', clientId });
        continue;
      }
      publish({ type: 'client', client: summarise(client) });
      if (isRenewed) publish({ type: 'resources-renewed', clientId });
      else if (keys.size > 0) publish(this.#rowsChange(client, keys));
    }
    this.#publishGrowth(mostRows);
  }

  #rowsChange(client: ClientState, keys: ReadonlyMap<string, ResourceKey>): StreamChange {
    const { clientId } = client;
    const findRow = resourceRowFinder(client, this.#options.freshnessOf);
    const changed: ResourceRowJson[] = [];
    const removed: ResourceKey[] = [];
    for (const key of keys.values()) {
      const row = findRow(key);
      if (row === undefined) removed.push(key);
      else changed.push(row);
    }
    return { type: 'resources', clientId, changed, removed };
  }

  /** Publishes at most `mostClients` clients; the others follow on the next turn. */
  #publishGrowth(mostClients: number): void {
    if (this.#newestSeq === this.#publishedSeq) return;
    let clients = 0;
    for (const [clientId, newestSeq] of this.#grown) {
      if (clients++ >= mostClients) return;
      this.#grown.delete(clientId);
      this.#options.publish({ type: 'history', clientId, newestSeq });
    }
    this.#publishedSeq = this.#newestSeq;
    this.#options.publish({ type: 'history', clientId: null, newestSeq: this.#newestSeq });
  }
}
