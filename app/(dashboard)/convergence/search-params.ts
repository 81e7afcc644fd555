import { parseAsString } from 'nuqs/server';

/** What is open: a version of a type and server, or a content of a resource. Empty: the list. */
export const convergenceSearchParams = {
  type: parseAsString.withDefault(''),
  version: parseAsString.withDefault(''),
  server: parseAsString.withDefault(''),
  resource: parseAsString.withDefault(''),
  hash: parseAsString.withDefault(''),
  /** ISO times: what is older, or came later, is not looked at. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};
