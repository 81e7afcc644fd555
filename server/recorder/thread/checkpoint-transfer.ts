import type { ClientState } from '@/lib/observation/client-state';
import type { KnownSource } from '@/lib/observation/source-directory';
import { SharedStrings } from '../../collector/shared-strings';
import { withDamageNamed } from '../damaged-file';
import { restoreChunk } from '../snapshots/client-snapshot';
import type { CheckpointChunk, CheckpointPage } from '../storage/state-stores';
import type { StoreTotals } from './log-store';
import type { RecorderThread } from './recorder-thread';

/** Number of characters that are created or parsed in one turn of the event loop. */
const groupChars = 256 * 1024;
const chunksPerPage = 10;
/** Limits the shared names, versions, hashes and keys of the resources of one mesh. */
const sharedStrings = 100_000;
const deletedAtOnce = 100;

/**
 * Writes and completes a checkpoint, and deletes all others. Must not run twice at once. Resolves with undefined if it
 * was cancelled; the previous checkpoint then remains valid.
 */
export async function writeCheckpoint(
  thread: RecorderThread,
  seq: number,
  createdAt: number,
  chunks: Iterable<CheckpointChunk>,
  isCancelled: () => boolean,
): Promise<StoreTotals | undefined> {
  const id = await thread.call('beginCheckpoint', seq, createdAt);
  for (const group of groupsOf(chunks)) {
    if (isCancelled()) return undefined;
    await thread.call('addCheckpointChunks', id, group);
  }
  const totals = await thread.call('completeCheckpoint', id);
  while (!isCancelled() && (await thread.call('deleteStaleCheckpoints', deletedAtOnce)));
  return totals;
}

function* groupsOf(chunks: Iterable<CheckpointChunk>): Generator<CheckpointChunk[]> {
  let group: CheckpointChunk[] = [];
  let chars = 0;
  for (const chunk of chunks) {
    group.push(chunk);
    chars += chunk.json.length;
    if (chars < groupChars) continue;
    yield group;
    group = [];
    chars = 0;
  }
  if (group.length > 0) yield group;
}

export async function loadCheckpoint(
  thread: RecorderThread,
  file: string,
): Promise<{ seq: number; clients: ClientState[]; sources: KnownSource[] } | undefined> {
  const checkpoint = await thread.call('findNewestCheckpoint');
  if (!checkpoint) return undefined;
  const clients = new Map<string, ClientState>();
  const sources: KnownSource[] = [];
  const strings = new SharedStrings(sharedStrings);
  for (let after: number | null = 0; after !== null; ) {
    const page: CheckpointPage = await thread.call(
      'readCheckpoint',
      checkpoint.id,
      after,
      chunksPerPage,
      groupChars,
    );
    withDamageNamed(file, () => {
      for (const json of page.chunks) restoreChunk({ clients, sources, strings }, json);
    });
    after = page.next;
  }
  return { seq: checkpoint.seq, clients: [...clients.values()], sources };
}
