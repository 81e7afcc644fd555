import { parseRequest } from '../../explain/parse-request';
import { parseTime, resolveTime, type TimeContext } from '../../time/time-expression';
import type { EpochMs } from '../../xds/units';
import { type ClientViewName, clientViews } from '../client/client-views';

/** A typed text that names a client and what to show of it. */
export type ClientPhrase =
  /** "shop-web failover", "shop-web yesterday 03:04", "shop-web resources 15m ago" */
  | {
      readonly kind: 'view';
      readonly client: string;
      readonly view: ClientViewName | null;
      readonly at: EpochMs | null;
    }
  /** "compare shop-web with shop-mobile", "compare shop-web 10m ago" */
  | {
      readonly kind: 'compare';
      readonly client: string;
      readonly other: string;
      readonly at: EpochMs | null;
    }
  /** "shop-web GET shop.example/cart", "curl -H 'x-color: blue' shop.example/cart". `client` may be empty. */
  | { readonly kind: 'explain'; readonly client: string; readonly request: string };

const views = Object.keys(clientViews) as ClientViewName[];
/** Shorter beginnings of a tab's name are parts of names of clients more often. */
const leastViewChars = 3;
const comparePattern = /^compare\s+(\S+)(?:\s+(?:(?:with|and|to)\s+)?(.+))?$/i;

/** What begins a request. A host alone, as in "shop.example/cart", is more often a name that is searched for. */
const requestPattern =
  /^(?:(\S+)\s+)?((?:(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT)\s|(?:\$\s+)?(?:curl|grpcurl)\s|https?:\/\/|\/?(?:[A-Za-z_]\w*\.)*[A-Z]\w*\/\w+$|\[[^\]]*\]\s+").*)$/s;

function findRequest(text: string): ClientPhrase | undefined {
  const [, client = '', request = ''] = requestPattern.exec(text.trim()) ?? [];
  if (request === '' || !parseRequest(request).ok) return undefined;
  return { kind: 'explain', client, request };
}

/** Returns undefined for a text that names no tab, no time, no comparison and no request. */
export function parseClientPhrase(text: string, context: TimeContext): ClientPhrase | undefined {
  const explained = findRequest(text);
  if (explained !== undefined) return explained;
  const [, left, rest = ''] = comparePattern.exec(text.trim()) ?? [];
  if (left !== undefined) {
    const at = rest === '' ? null : pastTime(rest, context);
    return { kind: 'compare', client: left, other: at === null ? rest : '', at };
  }
  if (pastTime(text, context) !== null) return undefined;
  const words = text.trim().split(/\s+/);
  const { rest: named, at } = splitTime(words, context);
  const { rest: client, view } = splitView(named);
  if (view === null && at === null) return undefined;
  return { kind: 'view', client: client.join(' '), view, at };
}

/** The longest end that is a time. */
function splitTime(words: readonly string[], context: TimeContext) {
  for (let from = 1; from < words.length; from += 1) {
    const at = pastTime(words.slice(from).join(' '), context);
    if (at !== null) return { rest: words.slice(0, from), at };
  }
  return { rest: words, at: null };
}

/** The time that a text states; null: it states none, or one after now. */
export function pastTime(text: string, context: TimeContext): EpochMs | null {
  const parsed = parseTime(text);
  const at = parsed.ok ? resolveTime(parsed.time, context) : null;
  return at === null || at > context.now || Number.isNaN(new Date(at).getTime()) ? null : at;
}

/** The longest end with which the name of a tab begins. */
function splitView(words: readonly string[]) {
  for (let from = 1; from < words.length; from += 1) {
    const typed = words.slice(from).join(' ').toLowerCase();
    const view = views.find((each) => clientViews[each].label.toLowerCase().startsWith(typed));
    if (typed.length >= leastViewChars && view !== undefined) return { rest: words.slice(0, from), view };
  }
  return { rest: words, view: null };
}
