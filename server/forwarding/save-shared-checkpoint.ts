import type { Clock } from '../observe';
import { Checkpoints } from '../store/checkpoints';
import { ObservationLog } from '../store/log';
import type { Recorder } from '../store/recorder/recorder';
import type { StoreDatabase } from '../store/schema';

/**
 * Saves the checkpoint of a shared store in the recording of a web process, if retention of the store has deleted what the recording
 * does not have yet. Returns whether it did.
 */
export async function saveSharedCheckpoint(
  database: StoreDatabase,
  recorder: Pick<Recorder, 'stats' | 'saveCheckpoint'>,
  clock: Clock,
): Promise<boolean> {
  const { newestSeq } = recorder.stats();
  const log = new ObservationLog(database, clock);
  const [oldest] = await log.readObservations({ afterSeq: newestSeq, limit: 1, order: 'asc' });
  const { checkpointSeq } = await log.readHeads();
  if (checkpointSeq <= newestSeq || oldest?.seq === newestSeq + 1) return false;
  const checkpoint = await new Checkpoints(log.checkpoints).load();
  if (checkpoint === undefined) return false;
  await recorder.saveCheckpoint(checkpoint.seq, checkpoint.clients, checkpoint.sources);
  return true;
}
