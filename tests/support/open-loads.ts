import { onTestFinished } from 'vitest';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { type Clock, systemClock } from '@/server/observe';
import { tempDataDir } from './recorder-temp-dir';

/** A recorder of load, which is closed after the test. */
export async function openLoads(clock: Clock = systemClock): Promise<LoadRecorder> {
  const loads = await LoadRecorder.open({ dataDir: tempDataDir(), clock });
  onTestFinished(() => loads.close());
  return loads;
}
