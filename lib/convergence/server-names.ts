import type { ConvergenceFact } from './convergence-fact';

function addressed(server: string, address: string): string {
  return `${server} at ${address}`;
}

type Sent = Pick<ConvergenceFact, 'what' | 'server' | 'address' | 'at'>;

/**
 * Who sent something, in the order in which they sent last. A server is called by the identifier that it reports itself;
 * where servers at several addresses tell the same one, by its address as well.
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
  return named.sort((a, b) => a[1] - b[1]).map(([name]) => name);
}

/** Did that server send it? By its identifier alone: any that reports it of itself. null: reported none. */
export function isSentBy(
  { server, address }: Pick<Sent, 'server' | 'address'>,
  name: string | null,
): boolean {
  if (server === name || server === null) return server === name;
  return address !== null && addressed(server, address) === name;
}
