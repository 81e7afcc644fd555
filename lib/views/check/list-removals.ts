import { describeRemoval } from '../../resolve/removal';
import type { Profile } from '../../xds/profile';
import { requestsType } from '../../xds/requested-types';
import { formatResourceType } from '../../xds/resource-type';
import type { Removal } from './schema';

const notByAbsence =
  'Absence from a response removes nothing of this type: a client keeps a resource until nothing it has refers to it.';

const byNameAlone =
  'A delta response removes it by name. What clients do then with a resource of this type is not known here.';

/**
 * What the clients do when the management server removes resources of these types: by absence from a response, or by name in a
 * delta response.
 */
export function listRemovals(
  byAbsence: readonly string[],
  byName: readonly string[],
  profiles: readonly Profile[],
): Removal[] {
  const removals: Removal[] = [];
  for (const typeUrl of new Set([...byAbsence, ...byName])) {
    const type = { typeUrl, service: formatResourceType(typeUrl) };
    const byText = new Map<string, Profile[]>();
    for (const profile of profiles) {
      if (!requestsType(profile, typeUrl)) continue;
      const text = describeRemoval(profile, typeUrl);
      if (text !== undefined) byText.set(text, [...(byText.get(text) ?? []), profile]);
    }
    for (const [text, same] of byText) removals.push({ ...type, profiles: same, text });
    const text = byName.includes(typeUrl) ? byNameAlone : notByAbsence;
    if (byText.size === 0) removals.push({ ...type, profiles: [], text });
  }
  return removals;
}
