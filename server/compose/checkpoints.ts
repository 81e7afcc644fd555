import type { World } from '@/lib/observation/fold';
import type { LiveState } from '../live/live-state';
import { log } from '../logger';
import type { Recorder } from '../recorder/recorder';

export interface Checkpoints {
  /** Now rather than at the next turn. */
  saveSoon(): void;
  /** Writes the last one, unless it is so large that the process would not end soon. */
  close(): Promise<void>;
}

export interface CheckpointParts {
  /** What else a restart begins with: written before each checkpoint, so that it knows all that the tail does not tell. */
  readonly saveBeside?: () => Promise<void>;
  readonly live: Pick<LiveState, 'seq' | 'world' | 'sources'> & Partial<Pick<LiveState, 'forgottenCount'>>;
  readonly recorder: Pick<Recorder, 'saveCheckpoint'> & {
    stats(): Pick<ReturnType<Recorder['stats']>, 'state'>;
  };
}

const everyMs = 30_000;
/** A checkpoint costs what all clients hold, a restart what was observed since: it waits for one observation in so many clients. */
const clientsPerObservation = 4;
const longestMs = 5 * 60_000;
/** More are not written while the process ends: some 100 ms. The tail that a restart folds instead is short. */
const mostRowsAtEnd = 20_000;

/**
 * Writes the fold down now and then, so that a restart folds a short tail and retention may delete what is older. A
 * checkpoint that fails is said and tried again with the next; the log is whole without it.
 */
export function keepCheckpoints({ live, recorder, saveBeside }: CheckpointParts): Checkpoints {
  let savedSeq = live.seq;
  let savedForgotten = 0;
  let savedAt = performance.now();
  const save = async (): Promise<void> => {
    const { seq, forgottenCount = 0 } = live;
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
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'recorder', `checkpoint: ${reason}`);
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
