import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { openSqlite } from '@/server/store/open-sqlite';
import { crashBatch } from './builders/crash-batch';

/**
 * Appends batches from a number on without end, and writes the number of each that was acknowledged to stdout, until it is
 * killed. argv: engine, file or URL, name of the collector, first number.
 */
const [, , engine, place = '', collector = '', first] = process.argv;
const store = engine === 'sqlite' ? await openSqlite({ file: place }) : await openPostgres({ url: place });
const log = new ObservationLog(store, systemClock);
for (let n = Number(first); ; n++) {
  await log.append({ observations: crashBatch(collector, n), key: { collector, n } });
  process.stdout.write(`${n}\n`);
}
