import type { LiveState } from './live/live-state';
import type { Recorder } from './recorder/recorder';

export interface Checkpoints {
  /** Now rather than at the next turn. */
  saveSoon(): void;
  /** Writes the last one. */
  close(): Promise<void>;
}

export interface CheckpointParts {
  /** What else a restart begins with: written before each checkpoint, so that it knows all that the tail does not tell. */
  readonly saveBeside?: () => Promise<void>;
  readonly live: Pick<LiveState, 'seq' | 'world'>;
  readonly recorder: Pick<Recorder, 'saveCheckpoint'> & {
    stats(): Pick<ReturnType<Recorder['stats']>, 'state'>;
  };
}

const everyMs = 30_000;
/** A checkpoint costs what all clients hold, a restart what was observed since: it waits for one observation in so many clients. */
const clientsPerObservation = 4;
const longestMs = 5 * 60_000;

/**
 * Writes the fold down now and then, so that a restart folds a short tail and retention may delete what is older. A
 * checkpoint that fails is said and tried again with the next; the log is whole without it.
 */
export function keepCheckpoints({ live, recorder, saveBeside }: CheckpointParts): Checkpoints {
  let savedSeq = live.seq;
  let savedAt = performance.now();
  const save = async (): Promise<void> => {
    const { seq } = live;
    if (seq === savedSeq || recorder.stats().state !== 'recording') return;
    await saveBeside?.();
    await recorder.saveCheckpoint(seq, live.world.values());
    savedSeq = seq;
    savedAt = performance.now();
  };
  const saveSoon = (): void => {
    save().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`xdscope: checkpoint: ${reason}\n`);
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
      await save();
    },
  };
}
