import type { Recorder } from './recorder';

/** Reads see what is on the disk: first let what was observed reach it. While recording is stopped, it cannot. */
export async function flushLog(recorder: Pick<Recorder, 'flushed' | 'stats'>): Promise<void> {
  if (recorder.stats().state === 'recording') await recorder.flushed().catch(stoppedMeanwhile);
}

function stoppedMeanwhile(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'RECORDING_STOPPED')) throw error;
}
