import { by } from '../collections/compare';
import type { ConvergenceFact } from './convergence-fact';

function addressed(server: string, address: string): string {
  return `${server} at ${address}`;
}

type Sent = Pick<ConvergenceFact, 'what' | 'server' | 'address' | 'at'>;

/**
 * Lists the senders in the order of their last messages. The name of a server is its identifier; if several addresses
 * report the same identifier, the name includes the address.
 */
export function namesOfServers(facts: Iterable<Sent>): string[] {
  const servers = new Map<string, Map<string | null, number>>();
  for (const { what, server, address, at } of facts) {
    if (what !== 'sent' || server === null) continue;
    const lastAt = servers.get(server) ?? new Map<string | null, number>();
    lastAt.set(address, Math.max(at, lastAt.get(address) ?? at));
    servers.set(server, lastAt);
  }
  const named = [...servers].flatMap(([server, lastAt]): (readonly [name: string, at: number])[] => {
    const known = [...lastAt.keys()].filter((address) => address !== null);
    if (known.length < 2) return [[server, Math.max(...lastAt.values())]];
    return [...lastAt].map(([address, at]) => [address === null ? server : addressed(server, address), at]);
  });
  return named.sort(by((each) => each[1])).map(([name]) => name);
}

/**
 * Returns true if the named server sent the fact. A name without address matches any address; null matches servers
 * without identifier.
 */
export function isSentBy(
  { server, address }: Pick<Sent, 'server' | 'address'>,
  name: string | undefined,
): boolean {
  if (server === name || server === null) return server === name;
  return address !== null && addressed(server, address) === name;
}
