import { parseAsInteger, parseAsString } from 'nuqs';

/** What the certificates of all clients keep in the URL of whatever page they are on. */
export const certificateParams = {
  cert: parseAsString.withDefault(''),
  certFrom: parseAsInteger.withDefault(0),
};
