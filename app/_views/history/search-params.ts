import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import type { HistoryParams } from '@/app/_ask/history';
import { type RequestedExtent, resolveTimes } from '@/app/_hooks/extent';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import { compileHistoryFilter, formatHistoryFilter } from '@/lib/views/history/history-filter';
import { countingKinds, type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import type { EpochMs } from '@/lib/xds/units';

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
    /** A filter of historyGrammar. */
    q: text('q'),
    /** Addresses from before `q` was introduced have these, and `stream`; filterTextOf() writes them as a filter. */
    name: text('name'),
    version: text('version'),
    error: text('error'),
    /** True if load reports, which are many, are listed. */
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
  q: '',
  name: '',
  version: '',
  error: '',
} satisfies Partial<HistorySearch>;

export const kindsWithoutLoad = historyKinds.filter((kind) => !countingKinds.has(kind));

/** No resource has it, so that a filter which contradicts itself finds nothing. */
const noType = 'type.googleapis.com/xdscope.NoType';

export function filterTextOf(search: HistorySearch): string {
  return search.q === '' ? formatHistoryFilter(search) : search.q;
}

/** `text` is that of the filter. `now` is the time of a permalink, at which its ages end. */
export function historyParamsOf(
  search: Pick<HistorySearch, 'client' | 'type' | 'kind' | 'lrs'>,
  text: string,
  extent: RequestedExtent,
  clientId: string | null,
  now?: EpochMs,
): HistoryParams {
  const { client, lrs } = search;
  const filter = compileHistoryFilter(text);
  const kind = both(search.kind, filter.kind);
  const type = both(search.type, filter.type);
  const matchesNothing =
    (filter.kind !== null && kind.length === 0) || (filter.type !== null && type.length === 0);
  const usual: readonly HistoryKind[] = lrs ? [] : kindsWithoutLoad;
  return {
    ...{ client: clientId ?? client, stream: filter.stream },
    type: matchesNothing ? [noType] : type,
    kind: kind.length > 0 ? kind : usual,
    ...{ resource: filter.name, version: filter.version, error: filter.error },
    rejected: filter.rejected ? 'true' : '',
    ...extent,
    ...(filter.since !== '' && {
      from: now === undefined ? filter.since : (resolveTimes({ from: filter.since, to: '' }, now).from ?? ''),
    }),
  };
}

/** The values in both lists; an empty or absent list has all values. */
function both<Value extends string>(
  chosen: readonly Value[],
  filtered: readonly Value[] | null,
): readonly Value[] {
  if (filtered === null) return chosen;
  return chosen.length === 0 ? filtered : filtered.filter((each) => chosen.includes(each));
}
