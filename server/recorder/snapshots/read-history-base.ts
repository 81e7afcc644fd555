import type { EpochMs } from '@/lib/xds/units';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import type { StoredSnapshot } from '../storage/state-stores';
import type { ClientTexts } from './client-texts';
import { clientTexts, restoreSnapshot } from './snapshots';

/** The state of a client from which its history can be folded. */
export interface HistoryBase {
  readonly texts: ClientTexts;
  /** Of the newest observation that is folded in. */
  readonly seq: number;
  readonly at: EpochMs;
  /** The log has older observations of the client. */
  readonly hasOlder: boolean;
}

/** Snapshots between the base and the end: some 16,000 observations, more for a client with many rows. */
const snapshotsBack = 16;

/**
 * Returns where the history of a client up to `until` should begin: just before `from` or, without it, at the newest
 * part of its history. undefined: at the client's first observation in the log.
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

/** undefined: the log begins later. */
function timeOf(log: LogBlocks, { seq }: StoredSnapshot): EpochMs | undefined {
  for (const block of log.between({ beforeSeq: seq + 1, order: 'desc' })) {
    return block?.atAt(block.firstAfter(seq) - 1);
  }
  return undefined;
}
