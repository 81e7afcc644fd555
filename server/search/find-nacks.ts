import type { SearchAnswer } from '@/lib/api/search';
import { byDescending, inTurn } from '@/lib/collections/compare';
import { type NackGroup, stateOfGroup } from '@/lib/nacks/nack-group';
import { formatResourceType } from '@/lib/xds/resource-type';

const textChars = 200;

/** NACKs whose error message or resource contains all words: open ones first, then the newest. */
export function findNacks(
  groups: Iterable<NackGroup>,
  words: readonly string[],
  limit: number,
): SearchAnswer['nacks'] {
  const found = [...groups]
    .filter(({ name, text }) => {
      const all = `${name}\n${text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .map((group) => ({ group, state: stateOfGroup(group) }))
    .sort(
      inTurn(
        byDescending((each) => each.state === 'open'),
        byDescending((each) => each.group.lastAt),
      ),
    );
  return {
    items: found.slice(0, limit).map(({ group, state }) => ({
      id: group.id,
      service: formatResourceType(group.typeUrl),
      name: group.name,
      text: group.text.slice(0, textChars),
      state,
      clients: group.clients.size + group.clientsLeftOut,
      lastAt: group.lastAt,
    })),
    total: found.length,
  };
}
