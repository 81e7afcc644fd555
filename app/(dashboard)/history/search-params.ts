import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import type { Extent, HistoryParams } from '@/app/_hooks/query-keys';
import { type HistoryKind, historyKinds } from '@/lib/api/history-kinds';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';

/** "1760000000000..1760000060000": the visible window in epoch milliseconds. */
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

/** States that no event is open; an absent parameter means the stored event of a permalink. */
export const noEvent = 0;

const texts = parseAsArrayOf(parseAsString);
const kinds = parseAsArrayOf(parseAsStringLiteral(historyKinds));

/** History's URL parameters. `stored`: the defaults of a permalink. */
export function historySearchParsers(stored: Readonly<Record<string, string>>) {
  const text = (name: string) => parseAsString.withDefault(stored[name] ?? '');
  return {
    client: text('client'),
    stream: text('stream'),
    /** Short names as in "CDS"; type URLs for other types. */
    type: texts.withDefault(texts.parse(stored.type ?? '') ?? []),
    kind: kinds.withDefault(kinds.parse(stored.kind ?? '') ?? []),
    name: text('name'),
    version: text('version'),
    error: text('error'),
    /** Whether load reports are listed, which are many. */
    lrs: parseAsBoolean.withDefault(stored.lrs === 'true'),
    event: parseAsSeq.withDefault(parseAsSeq.parse(stored.event ?? '') ?? noEvent),
    /** The visible window; null: everything. */
    span: stored.span === undefined ? parseAsWindow : withStoredWindow(stored.span),
  };
}

function withStoredWindow(stored: string) {
  const window = parseAsWindow.parse(stored);
  return window === null ? parseAsWindow : parseAsWindow.withDefault(window);
}

type HistoryState = inferParserType<ReturnType<typeof historySearchParsers>>;
/** `event` null: none; `span` null: everything. */
export type HistorySearch = Omit<HistoryState, 'event' | 'span'> & {
  readonly event: number | null;
  readonly span: TimeWindow | null;
};

/** Excludes the open event, the window and the time range of the header. */
export const emptyHistoryFilter = {
  client: '',
  stream: '',
  type: [],
  kind: [],
  name: '',
  version: '',
  error: '',
} satisfies Partial<HistorySearch>;

const kindsWithoutLoad = historyKinds.filter((kind) => kind !== 'load-reported');

export function historyParamsOf(
  search: HistorySearch,
  extent: Extent,
  clientId: string | null,
): HistoryParams {
  const { client, stream, type, name, version, error, lrs } = search;
  const kind: readonly HistoryKind[] = search.kind.length > 0 || lrs ? search.kind : kindsWithoutLoad;
  return { client: clientId ?? client, stream, type, kind, resource: name, version, error, ...extent };
}
