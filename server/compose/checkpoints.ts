import { messageOf } from '@/lib/format/message-of';
import type { World } from '@/lib/observation/fold';
import type { LiveState } from '../live/live-state';
import { log } from '../logger';
import type { Recorder } from '../store/recorder/recorder';

interface Checkpoints {
  /** Writes a checkpoint now instead of at the next interval. */
  saveSoon(): void;
  /** Writes the last checkpoint, unless it is so large that it would delay the end of the process. */
  close(): Promise<void>;
}

interface CheckpointParts {
  /** Writes other state that a restart needs before each checkpoint, because the log's tail does not contain it. */
  readonly saveBeside?: () => Promise<void>;
  readonly live: Pick<LiveState, 'seq' | 'world' | 'sources'> & Partial<Pick<LiveState, 'forgottenCount'>>;
  readonly recorder: Pick<Recorder, 'saveCheckpoint'> & {
    stats(): Pick<ReturnType<Recorder['stats']>, 'state'>;
  };
  /** Returns true if the fold is that of all clients, and this process the one that writes checkpoints. By default it is. */
  readonly maySave?: () => boolean;
}

const everyMs = 30_000;
/**
 * A checkpoint is due after one observation for each group of this many clients, because its cost grows with the clients,
 * and that of a restart with the observations since.
 */
const clientsPerObservation = 4;
const longestMs = 5 * 60_000;
/** A larger checkpoint takes more than some 100 ms, so it is not written at the end of the process. */
const mostRowsAtEnd = 20_000;

/**
 * Writes the fold at intervals, so that a restart folds a short tail and retention may delete older observations. A
 * checkpoint that fails is logged and retried with the next one; the log is complete without it.
 */
export function keepCheckpoints({
  live,
  recorder,
  saveBeside,
  maySave = () => true,
}: CheckpointParts): Checkpoints {
  let savedSeq = live.seq;
  let savedForgotten = 0;
  let savedAt = performance.now();
  const save = async (): Promise<void> => {
    const { seq, forgottenCount = 0 } = live;
    if (!maySave()) return;
    if ((seq === savedSeq && forgottenCount === savedForgotten) || recorder.stats().state !== 'recording')
      return;
    await saveBeside?.();
    await recorder.saveCheckpoint(seq, live.world.values(), live.sources.list());
    savedSeq = seq;
    savedForgotten = forgottenCount;
    savedAt = performance.now();
  };
  const saveSoon = (): void => {
    save().catch((error: unknown) => {
      log('error', 'recorder', `checkpoint: ${messageOf(error)}`);
    });
  };
  const isDue = (): boolean =>
    live.seq - savedSeq >= live.world.size / clientsPerObservation ||
    performance.now() - savedAt >= longestMs;
  const timer = setInterval(() => {
    if (isDue()) saveSoon();
  }, everyMs);
  return {
    saveSoon,
    async close() {
      clearInterval(timer);
      if (hasAtMostRows(live.world, mostRowsAtEnd)) await save();
    },
  };
}

function hasAtMostRows(world: World, most: number): boolean {
  let rows = world.size;
  for (const { reports } of world.values()) {
    for (const { resources } of reports.values()) rows += resources.size;
    if (rows > most) return false;
  }
  return true;
}
