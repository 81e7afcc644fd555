import type { LiveState } from './live/live-state';
import type { Recorder } from './recorder/recorder';

export interface Checkpoints {
  /** Now rather than at the next turn. */
  saveSoon(): void;
  /** Writes the last one. */
  close(): Promise<void>;
}

const everyMs = 30_000;

/**
 * Writes the fold down now and then, so that a restart folds a short tail and retention may delete what is older. A
 * checkpoint that fails is said and tried again with the next; the log is whole without it.
 */
export function keepCheckpoints({ live, recorder }: { live: LiveState; recorder: Recorder }): Checkpoints {
  let savedSeq = live.seq;
  const save = async (): Promise<void> => {
    const { seq } = live;
    if (seq === savedSeq || recorder.stats().state !== 'recording') return;
    await recorder.saveCheckpoint(seq, live.world.values());
    savedSeq = seq;
  };
  const saveSoon = (): void => {
    save().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`xdscope: checkpoint: ${reason}\n`);
    });
  };
  const timer = setInterval(saveSoon, everyMs);
  return {
    saveSoon,
    async close() {
      clearInterval(timer);
      await save();
    },
  };
}
