import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../client-id';
import type { ClientTexts } from './client-texts';
import { foldClient } from './fold-client';
import type { LogBlocks } from './log-blocks';
import { readGaps } from './read-gaps';
import { clientTexts } from './snapshots';
import type { SqlFile } from './sql-file';

/** ClientAt on its way between the threads. */
export interface ClientAtText {
  readonly texts: ClientTexts;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

export function readClientAt(
  sql: SqlFile,
  log: LogBlocks,
  clientId: string,
  until: EpochMs | { readonly seq: number },
): ClientAtText | undefined {
  const untilSeq = typeof until === 'number' ? findUntil(log, clientId, until) : until.seq;
  if (untilSeq === null) return undefined;
  const folded = foldClient(sql, log, clientId, untilSeq);
  if (!folded) return undefined;
  const { state, beginsAt, baseSeq } = folded;
  return {
    texts: clientTexts(sql, state),
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

/** What lies between the two and is not in the log, in words. */
function describeMissing(sql: SqlFile, log: LogBlocks, baseSeq: number, untilSeq: number): string {
  const gap = readGaps(sql).findLast(({ fromSeq, toSeq }) => fromSeq <= untilSeq && toSeq > baseSeq);
  if (gap) return `observations ${gap.fromSeq} to ${gap.toSeq} were not recorded: ${gap.reason}`;
  let reached = baseSeq;
  const runs = log.metas.filter(({ firstSeq, lastSeq }) => lastSeq > baseSeq && firstSeq <= untilSeq);
  const first = log.tail[0];
  const last = log.tail.at(-1);
  const tail = first && last ? [{ firstSeq: first.seq, lastSeq: last.seq }] : [];
  for (const { firstSeq, lastSeq } of [...runs, ...tail]) {
    if (firstSeq > untilSeq) break;
    if (firstSeq > reached + 1) return 'some of what was observed before is no longer in the log';
    reached = lastSeq;
  }
  return '';
}
