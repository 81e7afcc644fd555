import type { EpochMs } from '@/lib/xds/units';
import { describeMissing } from '../blocks/describe-missing';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import { foldClient } from './fold-client';
import type { ClientOutline } from './snapshots';
import { outlineClient } from './snapshots';

interface OutlineAt {
  readonly outline: ClientOutline;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

export function readClientAt(
  storage: LogStorage,
  log: LogBlocks,
  clientId: string,
  until: EpochMs | { readonly seq: number },
): OutlineAt | undefined {
  const untilSeq = typeof until === 'number' ? findUntil(log, clientId, until) : until.seq;
  if (untilSeq === null) return undefined;
  const folded = foldClient(storage, log, clientId, untilSeq);
  if (!folded) return undefined;
  const { state, beginsAt, baseSeq } = folded;
  return {
    outline: outlineClient(state),
    beginsAt,
    incomplete: describeMissing(storage, log, baseSeq, untilSeq),
  };
}

/**
 * Copies of a tap are appended later than polls of the same time. No observation after `at` is in the fold, but earlier
 * ones that were appended late may be missing.
 */
function findUntil(log: LogBlocks, clientId: string, at: EpochMs): number | null {
  const newest = log.findNewest(at, clientId);
  if (newest === null) return null;
  if (newest.isImported) return newest.seq;
  const later = log.firstSeqAfter(at, clientId, newest.seq);
  return later === undefined ? newest.seq : later - 1;
}
