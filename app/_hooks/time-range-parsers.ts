import { parseAsString } from 'nuqs/server';

/** The time range in the URL of every page, as lib/time writes it. Both empty: the default of the page. */
export const timeRangeParsers = {
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};
