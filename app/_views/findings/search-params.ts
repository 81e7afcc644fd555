import { parseAsString } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { commonParams, param, parseAsNaturalNumber, type ViewQuery } from '../client/search-params';

export const findingsParams = {
  ...commonParams,
  /** The open group of findings; empty: the first one. */
  rule: param(parseAsString, ''),
  /** The first listed resource of the open group. */
  skip: param(parseAsNaturalNumber, 0),
};

export const findingsPerPage = 25;

/** The counts by rule; the resources of a group are requested when it is opened. */
export function findingsQueryOf({
  profile,
}: Pick<ViewQuery<typeof findingsParams>, 'profile'>): ClientQuery<'findings'> {
  return { ...omitEmpty({ profile }), limit: 0 };
}
