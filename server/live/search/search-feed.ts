import { messageOf } from '@/lib/format/message-of';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/resource-state';
import {
  type ChosenReports,
  chooseReports,
  type FreshnessOf,
  isSameReports,
} from '@/lib/views/client/choose-report';
import { findResource, keysOf } from '@/lib/views/client/client-resource';
import { isHeld } from '@/lib/views/client/is-held';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import type { JobQueue } from '../../workers/job-queue';
import { nextTurn, sliceMs } from '../../workers/threads/in-slices';
import type { LiveState } from '../live-state';
import { formatMark, goneMark } from './posting-mark';
import type { IndexState, RowBatch, SearchJobs } from './search-jobs';

interface SearchFeedParts {
  readonly live: Pick<LiveState, 'world' | 'watchRows'>;
  readonly freshnessOf: FreshnessOf;
  readonly recorder: Pick<Recorder, 'readPendingBodies'>;
  readonly queue: Pick<JobQueue<SearchJobs>, 'run' | 'renew'>;
}

interface KnownClient {
  /** The number of the client in the index. */
  readonly owner: number;
  readonly reports: ChosenReports;
  readonly isProbe: boolean;
}

interface Changes {
  /** The keys of rows that were added, changed or removed. */
  readonly keys: Set<string>;
  /** The other rows may have changed as well. */
  isOfAll: boolean;
}

const followEveryMs = 1_000;
const afterFailureMs = 10_000;
const rowsPerBatch = 2_000;

/** Keeps the index in the worker as the clients are: only rows that changed are sent, in batches, between other work. */
export class SearchFeed {
  readonly #parts: SearchFeedParts;
  readonly #clients = new Map<string, KnownClient>();
  readonly #clientIds = new Map<number, string>();
  #changes = new Map<string, Changes>();
  readonly #types: string[] = [];
  readonly #kinds = new Map<string, number>();
  #nextOwner = 0;
  #state: IndexState | undefined;
  /** Clients all of whose rows were sent. */
  readonly #indexed = new Set<string>();

  constructor(parts: SearchFeedParts) {
    this.#parts = parts;
    const { live } = parts;
    for (const clientId of live.world.keys()) this.#noteAll(clientId);
    live.watchRows((clientId, keys, isOfTypes) => this.#note(clientId, keys, isOfTypes));
  }

  /** The number of clients that are not in the index yet. Changes of the others are a second old at most. */
  get behind(): number {
    return Math.max(0, this.#parts.live.world.size - this.#indexed.size);
  }

  clientIdOf(owner: number): string | undefined {
    return this.#clientIds.get(owner);
  }

  /** Returns a function that stops it. */
  follow(clock: Pick<Clock, 'setTimeout'>): () => void {
    let isStopped = false;
    const next = async (): Promise<void> => {
      let waitMs = followEveryMs;
      try {
        await this.update();
      } catch (error) {
        waitMs = afterFailureMs;
        if (!isStopped) log('error', 'search', messageOf(error));
      }
      if (!isStopped) timer = clock.setTimeout(next, waitMs);
    };
    let timer = clock.setTimeout(next, 0);
    return () => {
      isStopped = true;
      timer.cancel();
    };
  }

  /** Sends what changed since the last call. After an error, the next call builds the index again in another worker. */
  async update(): Promise<void> {
    try {
      await this.#sendChanges();
      await this.#readPayloads();
    } catch (error) {
      this.#startAgain();
      throw error;
    }
  }

  async #sendChanges(): Promise<void> {
    const changes = this.#changes;
    this.#changes = new Map();
    const dropped = this.#dropOld(changes);
    if (dropped.length > 0) this.#take(await this.#parts.queue.run('drop', dropped));
    const sent: string[] = [];
    let batch = newBatch();
    let startedAt = performance.now();
    for (const [clientId, changed] of changes) {
      for (const key of this.#keysToSend(clientId, changed)) {
        this.#add(batch, clientId, key);
        if (batch.owners.length >= rowsPerBatch) {
          await this.#send(batch);
          batch = newBatch();
          startedAt = performance.now();
        } else if (batch.owners.length % 64 === 0 && performance.now() - startedAt > sliceMs) {
          await nextTurn();
          startedAt = performance.now();
        }
      }
      sent.push(clientId);
    }
    if (batch.owners.length > 0) await this.#send(batch);
    for (const clientId of sent) if (this.#clients.has(clientId)) this.#indexed.add(clientId);
  }

  #note(clientId: string, keys: readonly ResourceKey[], isOfTypes: boolean): void {
    const known = this.#changes.get(clientId);
    const noted = known ?? { keys: new Set<string>(), isOfAll: false };
    for (const key of keys) noted.keys.add(resourceKey(key));
    noted.isOfAll ||= isOfTypes;
    if (known === undefined) this.#changes.set(clientId, noted);
  }

  #noteAll(clientId: string): void {
    this.#changes.set(clientId, { keys: new Set(), isOfAll: true });
  }

  /** Clients that were evicted, or whose rows now come from other reports. */
  #dropOld(changes: Map<string, Changes>): number[] {
    const owners: number[] = [];
    for (const clientId of changes.keys()) {
      const client = this.#parts.live.world.get(clientId);
      const known = this.#clients.get(clientId);
      const reports = client && chooseReports(client, this.#parts.freshnessOf);
      if (known !== undefined && reports !== undefined && isSameReports(known.reports, reports)) continue;
      if (known !== undefined) {
        owners.push(known.owner);
        this.#clientIds.delete(known.owner);
        this.#clients.delete(clientId);
        this.#indexed.delete(clientId);
      }
      if (reports === undefined) continue;
      const owner = this.#nextOwner++;
      const isProbe = [...(client?.reports.values() ?? [])].some(({ vantage }) => vantage === 'probe');
      this.#clients.set(clientId, { owner, reports, isProbe });
      this.#clientIds.set(owner, clientId);
      changes.set(clientId, { keys: new Set(), isOfAll: true });
    }
    return owners;
  }

  *#keysToSend(clientId: string, { keys, isOfAll }: Changes): Iterable<string> {
    const known = this.#clients.get(clientId);
    if (known === undefined) return;
    yield* keys;
    if (isOfAll) for (const key of keysOf(known.reports)) if (!keys.has(key)) yield key;
  }

  #add(batch: ReturnType<typeof newBatch>, clientId: string, key: string): void {
    const known = this.#clients.get(clientId);
    if (known === undefined) return;
    const [typeUrl = '', name = ''] = splitKey(key);
    const found = findResource(known.reports, key);
    batch.owners.push(known.owner);
    batch.kinds.push(this.#kindOf(typeUrl));
    batch.names.push(name);
    if (found === undefined || found.shown === null) {
      batch.marks.push(goneMark);
      batch.hashes.push(null);
      return;
    }
    const { state, shown, version, isOwn } = found;
    batch.marks.push(
      formatMark({
        state: shown,
        isHeld: isHeld({ ...state, versionInfo: version }, isOwn),
        isProbe: known.isProbe,
      }),
    );
    batch.hashes.push(state.hash);
  }

  #kindOf(typeUrl: string): number {
    const normal = normaliseTypeUrl(typeUrl);
    const known = this.#kinds.get(normal);
    if (known !== undefined) return known;
    const kind = this.#types.push(normal) - 1;
    this.#kinds.set(normal, kind);
    return kind;
  }

  async #send(batch: Omit<RowBatch, 'types'>): Promise<void> {
    this.#take(await this.#parts.queue.run('apply', { types: this.#types, ...batch }));
  }

  async #readPayloads(): Promise<void> {
    const { queue, recorder } = this.#parts;
    while ((this.#state?.payloadsWaiting ?? 0) > 0 && this.#changes.size === 0) {
      const before = this.#state?.payloadsWaiting;
      const pending = await recorder.readPendingBodies(await queue.run('waiting', null));
      this.#take(await queue.run('decode', pending, { priority: 'background' }));
      if (this.#state?.payloadsWaiting === before) return;
    }
  }

  /** A worker that was started again has an empty index. */
  #take(state: IndexState): void {
    const before = this.#state;
    this.#state = state;
    if (before !== undefined && before.worker !== state.worker) {
      throw new Error('the worker was started again; its index is built again');
    }
  }

  #startAgain(): void {
    this.#parts.queue.renew();
    this.#state = undefined;
    this.#clients.clear();
    this.#clientIds.clear();
    this.#indexed.clear();
    for (const clientId of this.#parts.live.world.keys()) this.#noteAll(clientId);
  }
}

function newBatch() {
  const hashes: (string | null)[] = [];
  return {
    owners: [] as number[],
    kinds: [] as number[],
    names: [] as string[],
    marks: [] as number[],
    hashes,
  };
}

/** The inverse of resourceKey(). */
function splitKey(key: string): [typeUrl: string, name: string] {
  const at = key.indexOf('\u0000');
  return [key.slice(0, at), key.slice(at + 1)];
}
