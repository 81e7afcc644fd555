import path from 'node:path';
import { expect, it } from 'vitest';
import { LoadJobRunner, type LoadJobs } from '@/server/live/load/load-jobs';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { openLoadFile } from '@/server/live/load/open-load-file';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { tempDataDir } from '../../../support/recorder-temp-dir';

type Part = LoadJobs['excerptPart']['output'];

const dayMs = 86_400_000;

/** Records a report at each of these times. */
async function record(times: readonly number[]): Promise<string> {
  const dataDir = tempDataDir();
  const recorder = await LoadRecorder.open({ dataDir, clock: new ManualClock() });
  for (const at of times) recorder.observe(loadReported(at, [clusterLoad([localityLoad('a')])]));
  await recorder.close();
  return path.join(dataDir, 'load.sqlite');
}

it.each([
  ['far beyond what is recorded, on both sides', Number.NEGATIVE_INFINITY, 8.64e15],
  ['from far before to its end', -6e13, Date.UTC(2026, 1, 10)],
  ['after it', Date.UTC(2090, 0, 1), Date.UTC(2100, 0, 1)],
  ['before it', Date.UTC(1970, 0, 1), Date.UTC(1980, 0, 1)],
])('an excerpt of a range %s takes one part for each recorded minute at most', async (_, from, to) => {
  const begin = Date.UTC(2026, 0, 1);
  const times = [begin + 5, begin + 20_000, begin + 40 * dayMs - 1];
  const file = await record(times);
  const runner = new LoadJobRunner(() => openLoadFile(file));
  try {
    let values = 0;
    let parts = 0;
    for (let next: number | null = from; next !== null && parts < 20; parts += 1) {
      const part: Part = await runner.excerptPart({ span: { from: next, to } });
      values += part.excerpt.values.length;
      next = part.next;
    }
    expect(parts).toBeLessThanOrEqual(2);
    expect(values > 0).toBe(times.some((at) => at >= from && at < to));
  } finally {
    await runner.close();
  }
});
