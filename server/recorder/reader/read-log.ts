import type { Steps } from '@/lib/cooperative/steps';
import type { Recorded } from '@/lib/observation/observation';
import type { SeqRange } from '../blocks/log-blocks';
import { rangeAfter, scanLog } from '../blocks/scan-log';
import type { HistoryFilter } from './history-query';
import type { LogReader } from './log-reader';

/** One step takes some 50 ms. Each step opens the log again, at a cost that grows with its blocks. */
const observationsAtOnce = 2_000;

/**
 * Visits matching observations until `visit` returns false, including those that are appended meanwhile. Returns
 * whether the end of the log was reached.
 */
export function* readLog(
  reader: Pick<LogReader, 'read'>,
  query: HistoryFilter & SeqRange,
  visit: (observation: Recorded) => boolean,
): Steps<boolean> {
  let isStopped = false;
  for (let left = query; ; ) {
    let read = 0;
    const next = reader.read((log) =>
      scanLog(log, left, (block, index) => {
        isStopped = !visit({ ...block.observation(index), seq: block.seqAt(index) });
        read += 1;
        return !isStopped && read < observationsAtOnce;
      }),
    );
    if (isStopped) return false;
    if (next === null) return true;
    left = rangeAfter(left, next);
    yield;
  }
}
