import {
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
  type SingleParserBuilder,
} from 'nuqs/server';
import { bodyFormats } from '@/app/_components/inspector/body-format';
import type { GraphParams } from '@/app/_hooks/query-keys';
import { clientStatuses } from '@/lib/xds/status';

/**
 * The client pages' place in the URL. "Nothing" is an empty value, never an absent one: an absent one means the
 * default, and on a frozen page the default is what was stored.
 */
const base = {
  /** What the inspector shows, as formatResourceRef() says it. */
  resource: of(parseAsString, ''),
  format: of(parseAsStringLiteral(bodyFormats), 'yaml'),
  /** Role of the body that is shown. */
  body: of(parseAsString, ''),
  // Graph
  node: of(parseAsString, ''),
  find: of(parseAsString, ''),
  expand: of<string[]>(parseAsArrayOf(parseAsString), []),
  table: of(parseAsBoolean, false),
  // Resources
  type: of<string[]>(parseAsArrayOf(parseAsString), []),
  status: of(parseAsArrayOf(parseAsStringLiteral(clientStatuses)), []),
  q: of(parseAsString, ''),
  /** "size", or "-size" for the biggest first; empty for the fixed order of types. */
  sort: of(parseAsString, ''),
};

function of<T>(parser: SingleParserBuilder<T>, fallback: NonNullable<T>) {
  return {
    withStored: (stored: string | undefined) =>
      parser.withDefault((stored === undefined ? null : parser.parse(stored)) ?? fallback),
  };
}

/** `stored` are the query parameters that a permalink keeps: they are the defaults of its page. */
export function clientViewParsers(stored: Readonly<Record<string, string>>) {
  return {
    resource: base.resource.withStored(stored.resource),
    format: base.format.withStored(stored.format),
    body: base.body.withStored(stored.body),
    node: base.node.withStored(stored.node),
    find: base.find.withStored(stored.find),
    expand: base.expand.withStored(stored.expand),
    table: base.table.withStored(stored.table),
    type: base.type.withStored(stored.type),
    status: base.status.withStored(stored.status),
    q: base.q.withStored(stored.q),
    sort: base.sort.withStored(stored.sort),
  };
}

export type ClientViewParsers = ReturnType<typeof clientViewParsers>;
export type ClientViewQuery = inferParserType<ClientViewParsers>;

/** The neighbourhood that the graph shows, asked for in the same words by the server and by the browser. */
export function graphParamsOf(query: Pick<ClientViewQuery, 'expand'>): GraphParams {
  return { expand: query.expand };
}
