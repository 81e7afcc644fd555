import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { type DayOptions, makeDay } from '../support/make-day';

/** What may wait for the disk before more is made. */
const maxBehind = 20_000;

/** Writes a made day through the recorder, exactly so many observations. Answers its clients, the large ones first. */
export async function recordDay(dataDir: string, day: DayOptions): Promise<string[]> {
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
  const clientIds = new Set<string>();
  let appended = 0;
  for (const batch of makeDay(day, { wire: 0, delta: 0 })) {
    for (const emission of batch.slice(0, day.observations - appended)) {
      recorder.append(emission);
      appended += 1;
      if ('clientId' in emission.observation) clientIds.add(emission.observation.clientId);
    }
    while (appended - recorder.stats().newestSeq > maxBehind) await new Promise(setImmediate);
  }
  await recorder.close();
  return [...clientIds];
}
