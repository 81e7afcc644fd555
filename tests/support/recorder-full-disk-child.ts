import { emissionOf } from './builders/recorder-emissions';
import { openWholeRecorder } from './open-recorder';

/**
 * Appends until recording stops, goes on appending while it is stopped, and ends when it goes on. Writes a line of
 * JSON for each change of state and one at the end. argv: data dir.
 */
let isStopped = false;
let hasResumed = false;
const recorder = await openWholeRecorder({
  dataDir: process.argv[2] ?? '',
  onStateChange(state) {
    process.stdout.write(`${JSON.stringify(state)}\n`);
    if (state.state === 'stopped') isStopped = true;
    else hasResumed = isStopped;
  },
});

let appended = 0;
while (!hasResumed) {
  appended = recorder.append(emissionOf(Date.now(), `${appended} ${Math.random()} ${'x'.repeat(1000)}`));
  if (isStopped || appended % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
const acked = await recorder.flushed();
const { missed, observations } = recorder.stats();
await recorder.close();
process.stdout.write(`${JSON.stringify({ appended, acked, missed, observations })}\n`);
