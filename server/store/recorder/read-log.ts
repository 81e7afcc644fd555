import type { ChurnEntry } from '@/lib/churn/churn-entry';
import { type AwaitingSteps, awaitIn } from '@/lib/cooperative/steps';
import type { Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { HistoryFilter } from '../history-query';
import type { LogReader } from './log-reader';

/** One step takes some 20 ms. */
const observationsAtOnce = 500;

/**
 * Visits matching observations until `visit` returns false, including those that are appended meanwhile. Returns
 * whether the end of the log was reached.
 */
export function* readLog(
  reader: Pick<LogReader, 'read'>,
  query: HistoryFilter & { readonly order: 'asc' | 'desc' },
  visit: (observation: Recorded) => boolean,
): AwaitingSteps<boolean> {
  let range: { readonly afterSeq?: number; readonly beforeSeq?: number } = {};
  for (;;) {
    const from = { ...query, ...range, limit: observationsAtOnce };
    const page = yield* awaitIn(reader.read((log) => log.readObservations(from)));
    for (const observation of page) if (!visit(observation)) return false;
    const last = page.at(-1);
    if (last === undefined) return true;
    range = query.order === 'asc' ? { afterSeq: last.seq } : { beforeSeq: last.seq };
  }
}

/** Visits the churn entries of a range (both ends included) in the order of the log. Returns their number. */
export function* readChurn(
  reader: Pick<LogReader, 'read'>,
  range: { readonly from: EpochMs; readonly to: EpochMs; readonly clientId?: string | undefined },
  visit: (entry: ChurnEntry) => void,
): AwaitingSteps<number> {
  return yield* awaitIn(reader.read((log) => log.readChurn(range, visit)));
}
