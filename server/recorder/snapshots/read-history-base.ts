import type { EpochMs } from '@/lib/xds/units';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import type { StoredSnapshot } from '../storage/state-stores';
import type { ClientTexts } from './client-texts';
import { clientTexts, restoreSnapshot } from './snapshots';

/** What a client was at a place from which its history can be reported. */
export interface HistoryBase {
  readonly texts: ClientTexts;
  /** Everything up to here is in it. */
  readonly seq: number;
  readonly at: EpochMs;
  /** The log reports the client before that, too. */
  readonly hasOlder: boolean;
}

/** So many snapshots lie between it and the end: some 16,000 observations, more of a client with many rows. */
const snapshotsBack = 16;

/**
 * Where the telling of a client's past up to a moment should begin: with what it was just before `from`; without that,
 * with its newest past, however long the log is. undefined: with the first observation of the client in the log, before
 * which there was nothing.
 */
export function readHistoryBase(
  storage: LogStorage,
  log: LogBlocks,
  clientId: string,
  until: EpochMs,
  from?: EpochMs,
): HistoryBase | undefined {
  const seq = log.seqAt(from ?? until, clientId);
  const oldest = log.oldest;
  if (oldest === undefined) return undefined;
  const back = from === undefined ? snapshotsBack : 0;
  const snapshot =
    (seq === null ? undefined : storage.snapshots.find(clientId, seq, back)) ??
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
