import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { EpochMs } from '@/lib/xds/units';
import { describeMissing } from '../blocks/describe-missing';
import type { LogBlocks } from '../blocks/log-blocks';
import { scanLog } from '../blocks/scan-log';
import type { LogStorage } from '../storage/log-storage';
import type { CheckpointPage } from '../storage/state-stores';
import { restoreChunk } from './client-snapshot';
import { restoreSnapshot } from './snapshots';

export interface FoldedClient {
  readonly state: ClientState;
  /** Time of the first observation in the fold. */
  readonly beginsAt: EpochMs;
  /** Seq of the snapshot or checkpoint with which the fold began; 0 if there was none. */
  readonly baseSeq: number;
}

/** Returns undefined if the log has no observation of the client up to `untilSeq`. */
export function foldClient(
  storage: LogStorage,
  log: LogBlocks,
  clientId: string,
  untilSeq: number,
): FoldedClient | undefined {
  const base = findBase(storage, log, clientId, untilSeq);
  const world: World = new Map();
  if (base?.state) world.set(clientId, base.state);
  let beginsAt = base?.beginsAt ?? null;
  const baseSeq = base?.baseSeq ?? 0;
  for (let next: number | null = baseSeq; next !== null; ) {
    const query = { clientId, afterSeq: next, beforeSeq: untilSeq + 1, order: 'asc' } as const;
    next = scanLog(log, query, (block, index) => {
      beginsAt ??= block.atAt(index);
      const seq = block.seqAt(index);
      if (block.kindAt(index) === 'response-received') {
        // Folding a response changes only the seq.
        const state = world.get(clientId);
        if (state) state.seq = seq;
        return true;
      }
      foldObservation(world, { ...block.observation(index), seq });
      return true;
    });
  }
  const state = world.get(clientId);
  return state && { state, beginsAt: beginsAt ?? 0, baseSeq };
}

/**
 * Finds the newest state of the client at or before `untilSeq`: a snapshot, or the newest checkpoint. The checkpoint,
 * whose rows are all read at once, is used only if the log since the snapshot is incomplete.
 */
function findBase(storage: LogStorage, log: LogBlocks, clientId: string, untilSeq: number) {
  const snapshot = storage.snapshots.find(clientId, untilSeq);
  const checkpoint = storage.checkpoints.newest();
  const isNewer = checkpoint && checkpoint.seq <= untilSeq && checkpoint.seq > (snapshot?.seq ?? 0);
  if (isNewer && !(snapshot && describeMissing(storage, log, snapshot.seq, untilSeq) === '')) {
    const state = readOfCheckpoint(storage, checkpoint.id, clientId);
    if (state) {
      return { state, beginsAt: snapshot?.beginsAt ?? firstSeenAt(state), baseSeq: checkpoint.seq };
    }
  }
  if (!snapshot) return undefined;
  return { state: restoreSnapshot(storage, snapshot), beginsAt: snapshot.beginsAt, baseSeq: snapshot.seq };
}

function readOfCheckpoint(storage: LogStorage, id: number, clientId: string): ClientState | undefined {
  const clients = new Map<string, ClientState>();
  for (let after: number | null = 0; after !== null; ) {
    const page: CheckpointPage = storage.checkpoints.read(id, after, 100, clientId);
    for (const json of page.chunks) restoreChunk({ clients }, json);
    after = page.next;
  }
  return clients.get(clientId);
}

function firstSeenAt({ reports }: ClientState): EpochMs {
  return Math.min(...Array.from(reports.values(), (report) => report.firstSeenAt));
}
