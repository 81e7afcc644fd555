import type { ClientState } from '@/lib/observation/client-state';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import { SharedStrings } from '../collect/collector/shared-strings';
import { nextTurn } from '../workers/threads/in-slices';
import { type ClientCopy, copyClient, formatCopy, restoreClient, type SnapshotText } from './client-snapshot';
import { addHashes } from './named-hashes';

/** A client of a checkpoint, formatted. */
export interface CheckpointedClient {
  readonly clientId: string;
  /** The time of the client's first observation if the log does not know it. */
  readonly firstSeenAt: EpochMs;
  readonly snapshot: SnapshotText;
  /** The hash of every body that the client names. */
  readonly hashes: readonly string[];
}

export interface CheckpointPage {
  /** The snapshots of each client for restoreClient(). */
  readonly clients: readonly (readonly Uint8Array[])[];
  /** The `after` of the next page, or null if this is the last one. */
  readonly next: number | null;
}

/** What the store does for checkpoints, possibly in another thread. */
export interface CheckpointStore {
  /** A client is added only if it changed after `since`. `others` have newer snapshots than `since`. */
  beginCheckpoint(): Promise<{ readonly since: number; readonly others: readonly string[] }>;
  addToCheckpoint(seq: number, clients: readonly CheckpointedClient[]): Promise<void>;
  completeCheckpoint(
    seq: number,
    more: { readonly removed: readonly string[]; readonly sources: readonly KnownSource[] },
  ): Promise<void>;
  deleteStaleCheckpoints(): Promise<boolean>;
  findCheckpoint(): Promise<{ readonly seq: number; readonly sources: readonly KnownSource[] } | undefined>;
  readCheckpoint(seq: number, after: number, limit: number): Promise<CheckpointPage>;
}

/** Number of characters that are formatted in one turn of the event loop. */
const groupChars = 256 * 1024;
const clientsPerPage = 1_000;
/** Limits the shared names, versions, hashes and keys of the resources of one mesh. */
const sharedStrings = 100_000;

/** Writes and reads checkpoints: the fold of all clients at a seq. Each checkpoint writes the clients that changed since the one before. */
export class Checkpoints {
  readonly #store: CheckpointStore;
  /** The clients of the newest checkpoint. undefined: not known. */
  #clientIds: ReadonlySet<string> | undefined;
  /** The seq of the newest checkpoint. 0: not known. */
  #since = 0;

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /**
   * Stores the fold up to `seq` as it is at the call, once `ready` has resolved: all bodies that it names must be stored by then,
   * and the save before must have ended. If it is cancelled, the previous checkpoint remains valid.
   */
  async save(
    seq: number,
    clients: Iterable<ClientState>,
    sources: Iterable<KnownSource> = [],
    {
      ready,
      isCancelled = () => false,
    }: { readonly ready?: Promise<unknown>; readonly isCancelled?: () => boolean } = {},
  ): Promise<void> {
    const [all, known] = [[...clients], [...sources]];
    const [assumed, knownIds] = [this.#since, this.#clientIds];
    const isChanged = (
      client: Pick<ClientState, 'clientId' | 'seq'>,
      since: number,
      ids = knownIds,
    ): boolean => client.seq > since || !ids?.has(client.clientId);
    const copies = all.filter((client) => isChanged(client, assumed)).map(copyClient);
    await ready;
    const { since, others } = await this.#store.beginCheckpoint();
    // After a gap, all clients are written. What changed in them meanwhile is in the log as well, and is folded once more.
    const changed = since < assumed ? all.map(copyClient) : copies;
    const before = knownIds ?? new Set((await this.load())?.clients.map(({ clientId }) => clientId));
    await this.#write(
      seq,
      changed.filter(({ client }) => isChanged(client, since, before)),
      isCancelled,
    );
    if (isCancelled()) return;
    const clientIds = new Set(all.map(({ clientId }) => clientId));
    const removed = [...before, ...others].filter((clientId) => !clientIds.has(clientId));
    await this.#store.completeCheckpoint(seq, { removed, sources: known });
    this.#clientIds = clientIds;
    this.#since = seq;
    while (!isCancelled() && (await this.#store.deleteStaleCheckpoints()));
  }

  async #write(seq: number, copies: readonly ClientCopy[], isCancelled: () => boolean): Promise<void> {
    let group: CheckpointedClient[] = [];
    let chars = 0;
    for (const [index, copy] of copies.entries()) {
      const formatted = formatClient(copy);
      group.push(formatted);
      chars += formatted.snapshot.text.length;
      if (chars < groupChars && index < copies.length - 1) continue;
      await this.#store.addToCheckpoint(seq, group);
      if (isCancelled()) return;
      [group, chars] = [[], 0];
    }
  }

  /** Returns undefined if there is no checkpoint. */
  async load(
    onRead?: (clients: number) => void,
  ): Promise<
    | { readonly seq: number; readonly clients: ClientState[]; readonly sources: readonly KnownSource[] }
    | undefined
  > {
    const found = await this.#store.findCheckpoint();
    if (found === undefined) return undefined;
    const clients: ClientState[] = [];
    const strings = new SharedStrings(sharedStrings);
    for (let after: number | null = 0; after !== null; ) {
      const page: CheckpointPage = await this.#store.readCheckpoint(found.seq, after, clientsPerPage);
      for (const snapshots of page.clients) {
        const client = await restoreClient(snapshots, strings);
        if (client !== undefined) clients.push(client);
      }
      after = page.next;
      onRead?.(clients.length);
      await nextTurn();
    }
    this.#clientIds = new Set(clients.map(({ clientId }) => clientId));
    this.#since = found.seq;
    return { ...found, clients };
  }
}

export function formatClient(copy: ClientCopy): CheckpointedClient {
  const { client, reports } = copy;
  const hashes = new Set<string>();
  for (const { rows } of reports) addHashes(hashes, rows);
  return {
    clientId: client.clientId,
    firstSeenAt: reports.reduce((first, { report }) => Math.min(first, report.firstSeenAt), Date.now()),
    snapshot: formatCopy(copy),
    hashes: [...hashes],
  };
}
