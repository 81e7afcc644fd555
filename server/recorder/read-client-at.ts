import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../client-id';
import type { ClientOutline } from './client-outline';
import { describeMissing } from './describe-missing';
import { foldClient } from './fold-client';
import type { LogBlocks } from './log-blocks';
import { outlineClient } from './snapshots';
import type { SqlFile } from './sql-file';

/** ClientAt on its way between the threads. */
export interface OutlineAt {
  readonly outline: ClientOutline;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

export function readClientAt(
  sql: SqlFile,
  log: LogBlocks,
  clientId: string,
  until: EpochMs | { readonly seq: number },
): OutlineAt | undefined {
  const untilSeq = typeof until === 'number' ? findUntil(log, clientId, until) : until.seq;
  if (untilSeq === null) return undefined;
  const folded = foldClient(sql, log, clientId, untilSeq);
  if (!folded) return undefined;
  const { state, beginsAt, baseSeq } = folded;
  return {
    outline: outlineClient(state),
    beginsAt,
    incomplete: describeMissing(sql, log, baseSeq, untilSeq),
  };
}

/**
 * A tap's copies come to the log later than what was polled meanwhile: of a moment nothing is told that was observed
 * after it, though something that was observed before and came late may be missing.
 */
function findUntil(log: LogBlocks, clientId: string, at: EpochMs): number | null {
  const newest = log.seqAt(at, clientId);
  if (newest === null || isImportedClient(clientId)) return newest;
  const later = log.firstSeqAfter(at, clientId, newest);
  return later === undefined ? newest : later - 1;
}
