import type { FoundResourceRow } from '../../api/search';
import { formatCount, formatCounted } from '../../format/count';

/** "held by 3 clients", "held by 2 of 3 clients, 1 NACKED", "held by no client, 2 probes". */
export function describeHolders({
  clients,
  holders,
  probes,
  states,
}: Pick<FoundResourceRow, 'clients' | 'holders' | 'probes' | 'states'>): string {
  const others = states
    .filter(({ state }) => state !== 'ACKED' && state !== 'ACTIVE')
    .map(({ state, count }) => `${formatCount(count)} ${state}`);
  const who =
    holders === 0
      ? 'no client'
      : holders === clients
        ? formatCounted(clients, 'client')
        : `${formatCount(holders)} of ${formatCounted(clients, 'client')}`;
  const own = probes === 0 ? [] : [formatCounted(probes, 'probe')];
  return [`held by ${who}`, ...others, ...own].join(', ');
}
