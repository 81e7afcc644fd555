import { parseAsArrayOf, parseAsBoolean, parseAsString } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { param, parseAsNaturalNumber, startParams, type ViewQuery } from '../client/search-params';
import { requestParams } from '../explain/search-params';

export const graphParams = {
  ...startParams,
  /** The request whose path is highlighted, and the listener or target at which it begins. */
  ...requestParams,
  find: param(parseAsString, ''),
  /** The index of the match that is drawn first, if not all are drawn. */
  match: param(parseAsNaturalNumber, 0),
  /** Search texts whose matches are not drawn. */
  hide: param<string[]>(parseAsArrayOf(parseAsString), []),
  /** Pan and zoom, as formatTransform() writes them; empty: fitted. */
  view: param(parseAsString, ''),
  expand: param<string[]>(parseAsArrayOf(parseAsString), []),
  table: param(parseAsBoolean, false),
  legend: param(parseAsBoolean, true),
  /** Listener by whose resolved config the nodes are marked; empty: none. */
  mark: param(parseAsString, ''),
};
type GraphViewQuery = ViewQuery<typeof graphParams>;

export function graphQueryOf({ expand, hide, mark, profile }: GraphViewQuery): ClientQuery<'graph'> {
  const drawn = { expand, ...(hide.length > 0 && { hide }) };
  return mark === '' ? drawn : { ...drawn, resolve: mark, ...omitEmpty({ profile }) };
}
