import { parseAsString } from 'nuqs/server';

/** Selects a version of a type and server, or a content of a resource. All empty: the list of pushes. */
export const convergenceSearchParams = {
  type: parseAsString.withDefault(''),
  version: parseAsString.withDefault(''),
  server: parseAsString.withDefault(''),
  resource: parseAsString.withDefault(''),
  hash: parseAsString.withDefault(''),
  /** ISO times of the time range. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};
