import { foldObservation, type World } from '@/lib/observation/fold';
import { systemClock } from '@/server/observe';
import { Checkpoints } from '@/server/store/checkpoints';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { openSqlite } from '@/server/store/open-sqlite';
import { crashBatch } from './builders/crash-batch';

/**
 * Appends batches from a number on without end, and writes the number of each that was acknowledged to stdout, until it is
 * killed. The collector "a" also follows the clients, and saves a checkpoint after each fourth batch. argv: engine, file or URL,
 * name of the collector, first number.
 */
const [, , engine, place = '', collector = '', first] = process.argv;
const store = engine === 'sqlite' ? await openSqlite({ file: place }) : await openPostgres({ url: place });
const log = new ObservationLog(store, systemClock);
const checkpoints = new Checkpoints(log.checkpoints);
const restored = collector === 'a' ? await checkpoints.load() : undefined;
const world: World = new Map(restored?.clients.map((client) => [client.clientId, client]));
let seq = restored?.seq ?? 0;

async function saveCheckpoint(): Promise<void> {
  for (;;) {
    const page = await log.readObservations({ afterSeq: seq, limit: 500, order: 'asc' });
    for (const observation of page) foldObservation(world, observation);
    seq = page.at(-1)?.seq ?? seq;
    if (page.length === 0) break;
  }
  await checkpoints.save(seq, world.values());
}

for (let n = Number(first); ; n++) {
  await log.append({ observations: crashBatch(collector, n), key: { collector, n } });
  process.stdout.write(`${n}\n`);
  if (collector !== 'a') continue;
  while (await log.followClients());
  if (n % 4 === 0) await saveCheckpoint();
}
