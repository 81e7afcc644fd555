import type { Recorder } from './recorder';

/** Waits until all observations so far are written, so that reads return them, unless recording is stopped. */
export async function flushLog(recorder: Pick<Recorder, 'flushed' | 'stats'>): Promise<void> {
  if (recorder.stats().state === 'recording') await recorder.flushed().catch(stoppedMeanwhile);
}

function stoppedMeanwhile(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'RECORDING_STOPPED')) throw error;
}
