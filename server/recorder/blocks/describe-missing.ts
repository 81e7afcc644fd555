import type { LogStorage } from '../storage/log-storage';
import type { LogBlocks } from './log-blocks';

/** Returns a sentence about the observations that the log lacks between two seqs, or "" if it is complete. */
export function describeMissing(
  storage: LogStorage,
  log: LogBlocks,
  baseSeq: number,
  untilSeq: number,
): string {
  const gap = storage.gaps.read().findLast(({ fromSeq, toSeq }) => fromSeq <= untilSeq && toSeq > baseSeq);
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
