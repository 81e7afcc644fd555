import type { BlockStore, BodyStore, ChunkStore } from './immutable-stores';
import type { CheckpointStore, GapStore, PermalinkStore, PinStore, SnapshotStore } from './state-stores';

/**
 * The store of a recording: immutable parts (blocks, chunks of snapshots, bodies) and small mutable state.
 * All calls are synchronous, because they are made in worker threads.
 * Atomicity: each call is all or nothing; so are all calls of one transaction(). Durability: committed data
 * survives a killed process and a power cut. There is one writer at a time; concurrent readers read what is
 * committed. Errors: RecorderErrors, and errors with a `code` of the database, such as SQLITE_FULL.
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
  /** Commits the writes of `work` when it returns, and undoes them when it throws. May be nested. */
  transaction<T>(work: () => T): T;
  /** All reads of `work` are as of one moment. */
  snapshot<T>(work: () => T): T;
  /** Returns another number after another connection has committed. */
  version(): number;
  /** The sizes are in bytes; `usedBytes` does not count free pages. */
  size(): { readonly fileBytes: number; readonly usedBytes: number };
  /** Returns some free pages to the file system. Returns whether there are more. */
  shrink(pages: number): boolean;
  /** Throws a RecorderError if a file was deleted, moved or replaced since its opening: writes would be lost. */
  assertInPlace(): void;
  close(): void;
  /** Closes without writing, after a failure. */
  abandon(): void;
}
