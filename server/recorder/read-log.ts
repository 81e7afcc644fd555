import type { Observation, Recorded } from '@/lib/observation/observation';
import { isSure } from './block-matcher';
import type { HistoryFilter } from './history-query';
import type { LogBlocks, SeqRange } from './log-blocks';
import { logEntryOf, matchesFilter } from './log-entry';
import { scanLog } from './scan-log';

/** Tells every observation that matches until `tell` says false. Returns whether it came to the end of the log. */
export function readLog(
  log: LogBlocks,
  query: HistoryFilter & SeqRange,
  tell: (observation: Recorded) => boolean,
): boolean {
  const sure = isSure(query);
  let isStopped = false;
  let range: SeqRange = query;
  for (;;) {
    const next = scanLog(log, { ...query, ...range }, (block, index) => {
      const seq = block.seqAt(index);
      const json = block.texts([index])[0] ?? '';
      if (sure) isStopped = !tell({ ...(JSON.parse(json) as Observation), seq });
      else {
        const entry = logEntryOf(seq, json);
        isStopped = matchesFilter(entry, query) && !tell({ ...entry.observation, seq });
      }
      return !isStopped;
    });
    if (isStopped) return false;
    if (next === null) return true;
    range = query.order === 'asc' ? { ...range, afterSeq: next } : { ...range, beforeSeq: next };
  }
}
