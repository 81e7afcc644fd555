import { awaitIn } from '@/lib/cooperative/steps';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { restoreClient } from '../../store/client-snapshot';
import type { HistoryQuery } from '../../store/history-query';
import type { StoredText } from '../../store/log-history';
import type { LogReader } from '../../store/recorder/log-reader';
import { HistoryDraft } from './history-builder';
import type { Reading } from './reading';

export interface Past {
  /** Equal names mean equal pasts. */
  readonly list: string;
  readonly clientId: string;
  readonly until: EpochMs;
  /** The beginning of the range; without it, the newest part of a long past is read. */
  readonly from?: EpochMs | undefined;
}

export interface HistoryExtent {
  /** The time of the client's first observation, or of a later one for a long past. Absent if there is none. */
  readonly beginsAt?: EpochMs | undefined;
  /** The log holds observations of the client before `beginsAt`. */
  readonly hasOlder: boolean;
  /** The log has more observations than are read for one question. */
  readonly isCut: boolean;
  /** The time of the newest observation that was read if `isCut`, else the end. */
  readonly reportedTo: EpochMs;
}

/** These kinds of observations change the resources of a client. */
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
/** The limit if `from` is set; the next question continues where it was reached. */
const maxForward = 20_000;

/** Folds the past of one client from the log, page by page. */
export function* readPast(
  log: LogReader,
  { clientId, until, from }: Past,
): Reading<{ readonly draft: HistoryDraft; readonly extent: HistoryExtent }> {
  const draft = new HistoryDraft({ clientId, until });
  const base = yield* awaitIn(log.read((each) => each.readHistoryBase(clientId, until, from)));
  const client = base && (yield* awaitIn(restoreClient(base.snapshots)));
  if (base !== undefined && client !== undefined) draft.begin(client, base.at);
  const most = from === undefined ? maxObservations : maxForward;
  let beginsAt = base?.at;
  let isCut = false;
  let reportedTo = until;
  let afterSeq = base?.seq ?? 0;
  for (let read = 0; ; ) {
    yield [];
    const query: HistoryQuery = { clientId, kinds, afterSeq, limit: observationsAtOnce, order: 'asc' };
    const found: StoredText[] = yield* awaitIn(log.read((each) => each.readObservationTexts(query)));
    const last = found.at(-1);
    if (last === undefined) break;
    afterSeq = last.seq;
    beginsAt ??= found[0]?.at;
    draft.take(found);
    read += found.length;
    isCut = last.at <= until && read >= most;
    if (isCut) reportedTo = last.at;
    if (last.at > until || isCut) break;
  }
  return { draft, extent: { beginsAt, hasOlder: base?.hasOlder ?? false, isCut, reportedTo } };
}
