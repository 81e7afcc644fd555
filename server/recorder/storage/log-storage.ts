import type { BlockStore, BodyStore, ChunkStore } from './immutable-stores';
import type { CheckpointStore, GapStore, PermalinkStore, PinStore, SnapshotStore } from './state-stores';

/**
 * Where a recording is stored: what never changes (blocks, chunks of snapshots, bodies) and the small state that does.
 * All calls are synchronous, since they run in worker threads.
 *
 * Atomicity: each call is all or nothing; calls within transaction() are so together. Durability: what is committed
 * survives a killed process and a power cut. There is one writer at a time; readers beside it see what is committed.
 * Errors: RecorderErrors, and errors with a `code` of the database, such as SQLITE_FULL.
 */
export interface LogStorage {
  readonly blocks: BlockStore;
  readonly chunks: ChunkStore;
  readonly bodies: BodyStore;
  readonly checkpoints: CheckpointStore;
  readonly snapshots: SnapshotStore;
  readonly gaps: GapStore;
  readonly pins: PinStore;
  readonly permalinks: PermalinkStore;
  /** Commits what `work` wrote when it returns, and undoes it when it throws. Transactions may be nested. */
  transaction<T>(work: () => T): T;
  /** `work` reads, all of it as of one moment. */
  snapshot<T>(work: () => T): T;
  /** Another number after another connection has committed anything. */
  version(): number;
  /** In bytes; `usedBytes` does not count free pages. */
  size(): { readonly fileBytes: number; readonly usedBytes: number };
  /** Returns some free pages to the file system. Returns whether there are more. */
  shrink(pages: number): boolean;
  /** Throws a RecorderError if a file was deleted, moved or replaced since it was opened: what is written there is lost. */
  assertInPlace(): void;
  close(): void;
  /** Closes without writing, after a failure. */
  abandon(): void;
}
