import type { Observation } from '@/lib/observation/observation';
import { HistoryDraft } from '../answers/history/history-builder';
import type { HistoryExtent, Past } from '../answers/history/history-rows';
import type { LogReader } from '../recorder/reader/log-reader';
import { type ObservationQuery, readObservations } from '../recorder/reader/read-observations';
import type { Reading } from './reading';

/** Those that change what a client holds. */
const kinds: readonly Observation['kind'][] = [
  'client-config-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
  'request-sent',
  'ack-sent',
  'nack-sent',
  'timer-expired',
  'cache-changed',
];

const observationsAtOnce = 200;
const maxObservations = 200_000;
/** From a moment on: who wants more asks again, from there. */
const maxForward = 20_000;

/** Folds the past of one client out of the log, page by page. */
export function* readPast(
  log: LogReader,
  { clientId, until, from }: Past,
): Reading<{ readonly draft: HistoryDraft; readonly extent: HistoryExtent }> {
  const draft = new HistoryDraft({ clientId, until });
  const base = log.readHistoryBase(clientId, until, from);
  if (base !== undefined) draft.begin(base);
  const most = from === undefined ? maxObservations : maxForward;
  let beginsAt = base?.at ?? null;
  let isCut = false;
  let reportedTo = until;
  let afterSeq: number | null = base?.seq ?? 0;
  for (let read = 0; afterSeq !== null; ) {
    yield [];
    const query: ObservationQuery = { clientId, kinds, afterSeq, limit: observationsAtOnce, order: 'asc' };
    const { found, next, isFull }: ReturnType<typeof readObservations> = log.read((blocks) =>
      readObservations(blocks, query),
    );
    const last = found.at(-1);
    afterSeq = isFull && last !== undefined ? last.seq : next;
    if (last === undefined) continue;
    beginsAt ??= found[0]?.at ?? null;
    draft.take(found);
    read += found.length;
    isCut = last.at <= until && read >= most;
    if (isCut) reportedTo = last.at;
    if (last.at > until || isCut) break;
  }
  return { draft, extent: { beginsAt, hasOlder: base?.hasOlder ?? false, isCut, reportedTo } };
}
