import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { commonParams, param, parseAsNaturalNumber, type ViewQuery } from '../client/search-params';

export const propagationParams = {
  ...commonParams,
  propagation: param(parseAsStringLiteral(['all', 'differs'] as const), 'all'),
  /** A part of the name. */
  q: param(parseAsString, ''),
  /** The first listed resource. */
  skip: param(parseAsNaturalNumber, 0),
};

export const propagationPerPage = 100;

export function propagationQueryOf({
  propagation: only,
  q,
  skip: offset,
}: ViewQuery<typeof propagationParams>): ClientQuery<'propagation'> {
  return { only, ...omitEmpty({ q }), offset, limit: propagationPerPage };
}
