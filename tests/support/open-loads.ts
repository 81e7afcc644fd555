import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '@/server/observe';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';
import { tempDataDir } from './recorder-temp-dir';

/** A recorder of load, which is closed after the test. */
export async function openLoads(clock: Clock = systemClock): Promise<LoadRecorder> {
  const loads = await LoadRecorder.open({ dataDir: tempDataDir(), clock });
  onTestFinished(() => loads.close());
  return loads;
}
