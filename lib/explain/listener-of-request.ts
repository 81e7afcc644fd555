import type { ExplainRequest } from '../requests/request';
import type { PossibleStart } from '../resolve/find-starts';

/**
 * The listener at which a request begins if none is chosen: the API listener of its authority, or the only socket listener
 * at its port. undefined if no listener, or more than one, can be meant.
 */
export function findListenerOfRequest(
  starts: readonly PossibleStart[],
  { authority, scheme, connection }: ExplainRequest,
): string | undefined {
  const named = starts.find(({ listener, kind }) => kind === 'api' && listener === authority);
  if (named !== undefined) return named.listener;
  const port =
    connection?.destinationPort ?? /:(\d+)$/.exec(authority)?.[1] ?? (scheme === 'https' ? 443 : 80);
  const atPort = starts.filter(({ kind, address }) => kind === 'server' && address.endsWith(`:${port}`));
  return atPort.length === 1 ? atPort[0]?.listener : undefined;
}
