import type { EpochMs } from '@/lib/xds/units';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import type { StoredSnapshot } from '../storage/state-stores';
import type { ClientTexts } from './client-texts';
import { clientTexts, restoreSnapshot } from './snapshots';

export interface HistoryBase {
  readonly texts: ClientTexts;
  /** The seq of the newest observation in the fold. */
  readonly seq: number;
  readonly at: EpochMs;
  /** The log has older observations of the client. */
  readonly hasOlder: boolean;
}

/** Number of snapshots between the base and the end, which cover some 16,000 observations or more. */
const snapshotsBack = 16;

/**
 * Returns the base for the history of a client up to `until`: just before `from` or, without it, before the newest part
 * of the history. undefined if the history begins with the client's first observation in the log.
 */
export function readHistoryBase(
  storage: LogStorage,
  log: LogBlocks,
  clientId: string,
  until: EpochMs,
  from?: EpochMs,
): HistoryBase | undefined {
  const newest = log.findNewest(from ?? until, clientId);
  const oldest = log.oldest;
  if (oldest === undefined) return undefined;
  const back = from === undefined ? snapshotsBack : 0;
  const snapshot =
    (newest === null ? undefined : storage.snapshots.find(clientId, newest.seq, back)) ??
    storage.snapshots.find(clientId, oldest.seq - 1);
  if (snapshot === undefined) return undefined;
  const texts = clientTexts(storage, restoreSnapshot(storage, snapshot));
  return {
    texts,
    seq: snapshot.seq,
    at: timeOf(log, snapshot) ?? oldest.at,
    hasOlder: snapshot.seq >= oldest.seq,
  };
}

/** Returns undefined if the log begins later. */
function timeOf(log: LogBlocks, { seq }: StoredSnapshot): EpochMs | undefined {
  for (const block of log.between({ beforeSeq: seq + 1, order: 'desc' })) {
    return block?.atAt(block.firstAfter(seq) - 1);
  }
  return undefined;
}
