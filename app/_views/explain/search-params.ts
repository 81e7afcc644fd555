import { parseAsBoolean, parseAsString } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { param, resolveStartOf, startParams, type ViewQuery } from '../client/search-params';

export const explainParams = {
  ...startParams,
  /** The text of the request; empty: none is explained. */
  request: param(parseAsString, ''),
  /** Lists every route that is not taken. */
  all: param(parseAsBoolean, false),
};
export type ExplainViewQuery = ViewQuery<typeof explainParams>;

export function explainQueryOf(query: ExplainViewQuery): ClientQuery<'explain'> {
  return { request: query.request, ...resolveStartOf(query) };
}
