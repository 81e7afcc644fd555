import { parseAsInteger, parseAsString } from 'nuqs/server';
import type { QuestionInput } from '@/app/_ask/question';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';

export const searchSearchParams = {
  /** The text of a search over the fleet. */
  q: parseAsString.withDefault(''),
  /** A resource, as in CDS:cart, whose holders are listed. Empty: the results of the search are. */
  resource: parseAsString.withDefault(''),
  /** The filter of the holders, and the first listed one. */
  filter: parseAsString.withDefault(''),
  from: parseAsInteger.withDefault(0),
};

export const holdersPerPage = 100;

export function holdersQuestion(
  { typeUrl, name }: ResourceKey,
  q: string,
  offset: number,
): QuestionInput<'holders'> {
  return { type: normaliseTypeUrl(typeUrl), name, q, offset, limit: holdersPerPage };
}
