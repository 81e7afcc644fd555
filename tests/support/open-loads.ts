import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '@/server/observe';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';

/** A recorder of load, which is closed after the test. */
export async function openLoads(clock: Clock = systemClock): Promise<LoadRecorder> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-loads-'));
  const loads = await LoadRecorder.open({ dataDir, clock });
  // Pending reports are written before the directory is removed.
  onTestFinished(() => loads.close().finally(() => rmSync(dataDir, { recursive: true })));
  return loads;
}
