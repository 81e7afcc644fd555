import { describe, expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { expectFolds, numbered, observationsOfDay, startAt } from '@/tests/support/client-at-story';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { isLong } from '@/tests/support/runs';

const hour = 3_600_000;

const dayOf = (seed: number): Recorded[] => numbered(observationsOfDay(8_000, seed));

async function start(dataDir: string, clock: ManualClock, maxAgeMs: number): Promise<Recorder> {
  const recorder = await openRecorder({ dataDir, clock, retention: { maxAgeMs, maxBytes: 1e12 } });
  onTestFinished(() => recorder.close());
  return recorder;
}

describe('readClientAt() with snapshots', () => {
  it.each(isLong ? [1, 2, 4, 5] : [1])(
    'returns the fold of everything up to any seq (seed %i)',
    async (seed) => {
      const day = dayOf(seed);
      const dataDir = tempDataDir();
      const clock = new ManualClock(startAt + 24 * hour);
      const first = await start(dataDir, clock, 1e12);
      for (const { seq: _, ...observation } of day.slice(0, 4_500)) first.append({ observation, bodies: [] });
      await first.flushed();
      await first.close();
      // The second process folds clients from the log for the next snapshots.
      const second = await start(dataDir, clock, 1e12);
      for (const { seq: _, ...observation } of day.slice(4_500)) second.append({ observation, bodies: [] });
      await second.flushed();
      await expectFolds(second, day, 1);
    },
  );

  it('does so after retention has deleted the older part', async () => {
    const day = dayOf(3);
    const clock = new ManualClock(startAt + 24 * hour);
    const recorder = await start(tempDataDir(), clock, 8 * hour);
    for (const { seq, ...observation } of day) {
      recorder.append({ observation, bodies: [] });
      // Retention deletes whole blocks, so they must be small.
      if (seq % 600 === 0) await recorder.flushed();
    }
    await recorder.flushed();
    await recorder.saveCheckpoint(day.length, []);
    await recorder.applyRetention();
    const [oldest] = await recorder.readObservations({ limit: 1, order: 'asc' });
    expect(oldest?.seq).toBeGreaterThan(1_000);
    await expectFolds(recorder, day, oldest?.seq ?? 0);
    clock.advance(4 * hour);
    await recorder.applyRetention();
    const [later] = await recorder.readObservations({ limit: 1, order: 'asc' });
    expect(later?.seq).toBeGreaterThan((oldest?.seq ?? 0) + 200);
    await expectFolds(recorder, day, later?.seq ?? 0);
  });
});
