import type { Recorded } from '@/lib/observation/observation';
import type { LogBlocks, SeqRange } from '../blocks/log-blocks';
import { rangeAfter, scanLog } from '../blocks/scan-log';
import type { HistoryFilter } from './history-query';

/** Visits matching observations until `visit` returns false. Returns whether the end of the log was reached. */
export function readLog(
  log: LogBlocks,
  query: HistoryFilter & SeqRange,
  visit: (observation: Recorded) => boolean,
): boolean {
  let isStopped = false;
  for (let left = query; ; ) {
    const next = scanLog(log, left, (block, index) => {
      isStopped = !visit({ ...block.observation(index), seq: block.seqAt(index) });
      return !isStopped;
    });
    if (isStopped) return false;
    if (next === null) return true;
    left = rangeAfter(left, next);
  }
}
