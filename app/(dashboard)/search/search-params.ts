import { parseAsInteger, parseAsString } from 'nuqs/server';

export const searchSearchParams = {
  /** The text of a search over the fleet. */
  q: parseAsString.withDefault(''),
  /** A resource, as in CDS:cart, whose holders are listed. Empty: the results of the search are. */
  resource: parseAsString.withDefault(''),
  /** The filter of the holders, and the first listed one. */
  filter: parseAsString.withDefault(''),
  from: parseAsInteger.withDefault(0),
};
