import type { LiveState } from './live/live-state';
import type { Recorder } from './recorder/recorder';

const everyMs = 30_000;

/**
 * Writes the fold down now and then, so that a restart folds a short tail and retention may delete what is older. A
 * checkpoint that fails is said and tried again with the next; the log is whole without it.
 */
export function keepCheckpoints({ live, recorder }: { live: LiveState; recorder: Recorder }): {
  /** Writes the last one. */
  close(): Promise<void>;
} {
  let savedSeq = live.seq;
  const save = async (): Promise<void> => {
    const { seq } = live;
    if (seq === savedSeq || recorder.stats().state !== 'recording') return;
    await recorder.saveCheckpoint(seq, live.world.values());
    savedSeq = seq;
  };
  const timer = setInterval(() => {
    save().catch((error: unknown) => {
      process.stderr.write(
        `xdscope: checkpoint: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    });
  }, everyMs);
  return {
    async close() {
      clearInterval(timer);
      await save();
    },
  };
}
