import {
  createLoader,
  createParser,
  type inferParserType,
  parseAsString,
  parseAsStringLiteral,
  type SearchParams,
  type SingleParserBuilder,
} from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { bodyFormats } from '@/app/_components/inspector/body-format';
import { clients, profiles } from '@/lib/xds/profile';

/** Values that the server would reject are replaced by the default. */
export const parseAsNaturalNumber = createParser({
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  serialize: String,
});

/**
 * A query parameter. Absent, it has its default, which on a stored page is the stored value; an empty one selects nothing.
 */
export function param<T>(parser: SingleParserBuilder<T>, fallback: NonNullable<T>) {
  return {
    withStored: (stored: string | undefined) =>
      parser.withDefault((stored === undefined ? null : parser.parse(stored)) ?? fallback),
  };
}

type ParsersOf<Params> = {
  readonly [Name in keyof Params]: Params[Name] extends {
    readonly withStored: (stored: string | undefined) => infer Parser;
  }
    ? Parser
    : never;
};
export type ViewQuery<Params> = inferParserType<ParsersOf<Params>>;

/** `stored` are the query parameters that a permalink keeps: they are the defaults of its page. */
export function parsersOf<Params extends object>(
  params: Params,
  stored: Readonly<Record<string, string>>,
): ParsersOf<Params> {
  return Object.fromEntries(
    Object.entries(params).map(([name, each]) => [name, each.withStored(stored[name])]),
  ) as ParsersOf<Params>;
}

/** Reads the parameters of a page that is not stored. */
export function loaderOf<Params extends typeof commonParams>(
  params: Params,
): (search: SearchParams) => ViewQuery<Params> {
  const load = createLoader(parsersOf<typeof commonParams>(params, {}));
  return (search) => load(search) as ViewQuery<Params>;
}

/** Kept while the reader goes from tab to tab. */
export const commonParams = {
  /** The resource of the inspector, as formatResourceRef() writes it. */
  resource: param(parseAsString, ''),
  /** Its node in the graph. */
  node: param(parseAsString, ''),
  format: param(parseAsStringLiteral(bodyFormats), 'yaml'),
  body: param(parseAsString, ''),
  field: param(parseAsString, ''),
  /** An ISO time, or the moment right after an event, as in "seq:4711"; empty: now. */
  at: param(parseAsString, ''),
  /** A and B of the comparison. Empty: no comparison, and the shown moment. */
  since: param(parseAsString, ''),
  until: param(parseAsString, ''),
  /** Empty: the profile of the client. No released client follows gRFC A88 by default. */
  profile: param(parseAsStringLiteral(['', ...clients, ...profiles]), ''),
};

/** The parameters that state where a resolution starts, and which of its clusters is shown. */
export const startParams = {
  ...commonParams,
  /** The target that a gRPC client dials; `listener` is ignored then. Both empty: the first listener. */
  target: param(parseAsString, ''),
  listener: param(parseAsString, ''),
  cluster: param(parseAsString, ''),
};

type StartQuery = ViewQuery<typeof startParams>;

export function resolveStartOf({
  target,
  listener,
  profile,
}: Pick<StartQuery, 'target' | 'listener' | 'profile'>) {
  // A query with both is rejected.
  return omitEmpty({ target, listener: target === '' ? listener : '', profile });
}

/** The listeners whose names contain `starts`. */
export function startsQueryOf(
  query: Parameters<typeof resolveStartOf>[0],
  starts: string,
): ClientQuery<'resolved'> {
  return { ...resolveStartOf(query), starts, limit: 0, endpoints: 0 };
}
