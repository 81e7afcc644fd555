import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import type { HistoryParams } from '@/app/_hooks/history-queries';
import { historyKinds } from '@/lib/api/history';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';

/** "1760000000000..1760000060000": what the timeline shows, in epoch milliseconds. */
const parseAsWindow = createParser<TimeWindow>({
  parse(text) {
    const [, from = '', to = ''] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text) ?? [];
    return from !== '' && Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
  },
  serialize: ({ from, to }) => `${Math.floor(from)}..${Math.ceil(to)}`,
});

const parseAsSeq = createParser({
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  serialize: String,
});

/** What History keeps in the URL; on a client's page `client` is that of the path. */
export const historySearchParams = {
  client: parseAsString.withDefault(''),
  stream: parseAsString.withDefault(''),
  /** Short names as in "CDS", type URLs for others. */
  type: parseAsArrayOf(parseAsString).withDefault([]),
  kind: parseAsArrayOf(parseAsStringLiteral(historyKinds)).withDefault([]),
  name: parseAsString.withDefault(''),
  version: parseAsString.withDefault(''),
  error: parseAsString.withDefault(''),
  /** ISO times. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
  /** The event that is open. */
  event: parseAsSeq,
  /** What of the axis is in sight; not there: all of it. */
  span: parseAsWindow,
};

export type HistorySearch = inferParserType<typeof historySearchParams>;

/** Without the event and the zoom: they filter nothing. */
export const emptyHistoryFilter = {
  client: '',
  stream: '',
  type: [],
  kind: [],
  name: '',
  version: '',
  error: '',
  from: '',
  to: '',
} satisfies Partial<HistorySearch>;

export function historyParamsOf(search: HistorySearch, clientId: string | null): HistoryParams {
  const { client, stream, type, kind, name, version, error, from, to } = search;
  return { client: clientId ?? client, stream, type, kind, resource: name, version, error, from, to };
}
