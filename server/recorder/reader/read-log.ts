import type { Recorded } from '@/lib/observation/observation';
import { isSure } from '../blocks/block-matcher';
import type { LogBlocks, SeqRange } from '../blocks/log-blocks';
import { logEntryOf, matchesFilter } from '../blocks/log-entry';
import { scanLog } from '../blocks/scan-log';
import type { HistoryFilter } from './history-query';

/** Reports every observation that matches until `tell` says false. Returns whether it came to the end of the log. */
export function readLog(
  log: LogBlocks,
  query: HistoryFilter & SeqRange,
  visit: (observation: Recorded) => boolean,
): boolean {
  const sure = isSure(query);
  let isStopped = false;
  let range: SeqRange = query;
  for (;;) {
    const next = scanLog(log, { ...query, ...range }, (block, index) => {
      const seq = block.seqAt(index);
      const observation = block.observation(index);
      if (sure || matchesFilter(logEntryOf(observation), query)) isStopped = !visit({ ...observation, seq });
      return !isStopped;
    });
    if (isStopped) return false;
    if (next === null) return true;
    range = query.order === 'asc' ? { ...range, afterSeq: next } : { ...range, beforeSeq: next };
  }
}
