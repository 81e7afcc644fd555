import type { SearchAnswer } from '@/lib/api/search';
import { by, byDescending, inTurn } from '@/lib/collections/compare';
import { rankMatch } from '@/lib/filter/rank-match';
import { itemsPerStep, type Steps } from '@/lib/steps/steps';
import type { FleetMember } from '@/lib/view-model/fleet/fleet-member';
import { compareTypeUrls } from '@/lib/xds/resource-type';

type Found = Pick<SearchAnswer, 'clients' | 'versions'>;

/** Clients whose node id, scope or cluster contains all words, and versions that do; the best matches first. */
export function* findClientsAndVersions(
  members: readonly FleetMember[],
  words: readonly string[],
  limit: number,
): Steps<Found> {
  const [word = ''] = words;
  const clients: { readonly rank: number; readonly member: FleetMember }[] = [];
  const versions = new Map<string, Found['versions']['items'][number]>();
  const contains = (text: string): boolean => words.every((each) => text.includes(each));
  for (const [at, member] of members.entries()) {
    if (at % itemsPerStep === 0) yield;
    const { nodeId, scope, cluster, types } = member.summary;
    if (member.link?.kind !== 'whole' && contains(`${nodeId}\n${scope}\n${cluster}`.toLowerCase())) {
      clients.push({ rank: rankMatch(nodeId.toLowerCase(), word), member });
    }
    for (const { typeUrl, service, versions: some } of types) {
      for (const version of some) {
        if (version === '' || !contains(version.toLowerCase())) continue;
        const key = `${typeUrl}\u0000${version}`;
        const known = versions.get(key);
        versions.set(key, { typeUrl, service, version, clients: (known?.clients ?? 0) + 1 });
      }
    }
  }
  // Members are sorted by name, and the sort is stable.
  const sorted = clients.sort(by(({ rank }) => rank));
  const byRank = [...versions.values()].sort(
    inTurn(
      by((each) => rankMatch(each.version.toLowerCase(), word)),
      byDescending(({ clients }) => clients),
      by(({ typeUrl }) => typeUrl, compareTypeUrls),
      by(({ version }) => version),
    ),
  );
  return {
    clients: {
      items: sorted.slice(0, limit).map(({ member: { summary } }) => {
        const { id, nodeId, scope, worst, trouble } = summary;
        return { id, nodeId, scope, worst, trouble };
      }),
      total: clients.length,
    },
    versions: { items: byRank.slice(0, limit), total: versions.size },
  };
}
