import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/recorder';
import { clientStateOf, sightingOf } from './recorder-sightings';

/** Appends without end and writes each acknowledged seq to stdout, until it is killed. argv: data dir. */
const recorder = await openRecorder({
  dataDir: process.argv[2] ?? '',
  clock: systemClock,
  retention: { maxAgeMs: 1e12, maxBytes: 1e12 },
});

for (let round = 0; ; round++) {
  let seq = 0;
  for (let index = 0; index < 1 + (round % 40); index++) {
    seq = recorder.append(
      sightingOf(Date.now(), `body ${index} ${'x'.repeat(50 * index)}`, `client-${round}`),
    );
  }
  if (round % 10 === 9) void recorder.saveCheckpoint(seq, [clientStateOf('client-a', seq, [])]);
  process.stdout.write(`${await recorder.flushed()}\n`);
}
