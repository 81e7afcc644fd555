import type { ResolvedCluster, ResolvedLocality } from '../../api/resolved';
import { formatLocality } from '../../format/locality';
import type { LoadAssignment } from '../../model/endpoints';
import { whySkipped, whyUnused } from '../../resolve/endpoint-use';
import type { ResolveProfile } from '../../resolve/resolve-profile';

export function buildPriorities(
  { priorities }: LoadAssignment,
  profile: ResolveProfile,
  maxEndpoints: number,
): ResolvedCluster['priorities'] {
  let left = maxEndpoints;
  return priorities.map(({ priority, localities }) => ({
    priority,
    localities: localities.map((group): ResolvedLocality => {
      const skipped = whySkipped(group, profile);
      const listed = group.endpoints.slice(0, left);
      left -= listed.length;
      return {
        locality: formatLocality(group.locality),
        weight: group.weight,
        use: skipped === '' ? 'used' : 'ignored',
        reason: skipped,
        endpoints: listed.map((endpoint) => {
          const reason = skipped === '' ? whyUnused(endpoint, profile) : skipped;
          return {
            address: endpoint.address,
            additionalAddresses: [...endpoint.additionalAddresses],
            hostname: endpoint.hostname,
            health: endpoint.health,
            weight: endpoint.weight,
            use: reason === '' ? 'used' : 'ignored',
            reason,
          };
        }),
        endpointsTotal: group.endpoints.length,
      };
    }),
  }));
}
