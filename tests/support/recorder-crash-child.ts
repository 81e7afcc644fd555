import { foldObservation, type World } from '@/lib/observation/fold';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { emissionOf } from './builders/recorder-emissions';

/**
 * Appends without end and writes what was acknowledged to stdout, until it is killed: each seq as a number, each pin
 * as "pin ID". argv: data dir.
 */
const recorder = await openRecorder({
  dataDir: process.argv[2] ?? '',
  clock: systemClock,
  // Nothing is older than what is pinned below: retention deletes by number, and marks, rolls and sweeps on the way.
  retention: { maxAgeMs: 1e12, maxBytes: 1e12, maxCount: Number(process.argv[3] ?? 1e12) },
});

const checkpoint = await recorder.loadCheckpoint();
const world: World = new Map(checkpoint?.clients.map((client) => [client.clientId, client]));
for await (const page of recorder.replayAfter(checkpoint?.seq ?? 0)) {
  for (const observation of page) foldObservation(world, observation);
}

for (let round = 0; ; round++) {
  let seq = 0;
  // Some batches are large, and lead to a snapshot of the continuously reported client.
  const count = round % 7 === 6 ? 700 : 1 + (round % 40);
  for (let index = 0; index < count; index++) {
    const clientId = index % 2 === 0 ? 'client-steady' : `client-${round}`;
    const content = `body ${index % 60} ${'x'.repeat(50 * (index % 40))}`;
    const emission = emissionOf(Date.now(), content, clientId, `cluster-${index % 100}`);
    seq = recorder.append(emission);
    foldObservation(world, { ...emission.observation, seq });
  }
  if (round % 10 === 9) void recorder.saveCheckpoint(seq, world.values());
  process.stdout.write(`${await recorder.flushed()}\n`);
  if (round % 25 === 5) {
    const now = Date.now();
    const pin = { from: now, to: now, clientId: null, label: `round ${round}`, createdAt: now };
    const added = await recorder.pin(pin);
    if (added) process.stdout.write(`pin ${added.id}\n`);
  }
  if (round % 15 === 14) void recorder.applyRetention();
}
