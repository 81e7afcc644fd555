import { isImportedClient } from '../client/is-imported-client';
import type { ClientDetail } from '../client/schema';
import type { FailoverHistory } from './periods-schema';

/** Returns whether a file has one split of the requests, and no load: nothing happened that a history could show. */
export function isWithoutHistory(
  { items: [first, second] }: Pick<FailoverHistory, 'items'>,
  client: Pick<ClientDetail, 'reports'>,
): boolean {
  return isImportedClient(client) && second === undefined && first?.measured === undefined;
}
