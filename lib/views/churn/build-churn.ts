import type { ChurnIndex } from '../../churn/churn-index';
import { emptyVersions } from '../../churn/versions-seen';
import { by, byDescending, inTurn } from '../../collections/compare';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import type { Churn } from './schema';

const mostResources = 200;
const mostServers = 100;

export function buildChurn(
  index: ChurnIndex,
): Pick<Churn, 'types' | 'resources' | 'resourceCount' | 'unchanged' | 'notes'> {
  const changed = index.resources.filter(({ turns }) => turns.changes > 0);
  changed.sort(
    inTurn(
      byDescending((each) => each.turns.changes),
      byDescending((each) => each.turns.lastAt),
      by(({ name }) => name),
    ),
  );
  const servers = index.versions.servers.filter(({ unchangedResponses }) => unchangedResponses > 0);
  servers.sort(byDescending(({ unchangedResponses }) => unchangedResponses));
  return {
    types: [...index.types.values()]
      .sort(by(({ typeUrl }) => typeUrl, compareTypeUrls))
      .map(({ typeUrl, bytes, responses, buckets }) => ({
        ...{ typeUrl, service: formatResourceType(typeUrl), bytes, responses },
        buckets: [...buckets.values()].sort(by(({ at }) => at)),
      })),
    resources: changed.slice(0, mostResources).map(({ typeUrl, name, turns }) => ({
      ...{ typeUrl, service: formatResourceType(typeUrl), name },
      ...{ changes: turns.changes, contents: turns.contents, returns: turns.returns },
      lastAt: turns.lastAt,
      buckets: Array.from(turns.buckets, ([at, changes]) => ({ at, changes })),
    })),
    resourceCount: changed.length,
    unchanged: servers.slice(0, mostServers).map((churn) => ({
      ...{ typeUrl: churn.typeUrl, service: formatResourceType(churn.typeUrl), server: churn.server },
      responses: churn.responses,
      unchangedResponses: churn.unchangedResponses,
      unchangedBytes: churn.unchangedBytes,
      unchangedClients: churn.unchangedClients.size,
      versions: churn.versions.size,
      emptyVersions: emptyVersions(churn),
      lastVersion: churn.lastUnchangedVersion,
      lastAt: churn.lastUnchangedAt,
    })),
    notes:
      index.resourcesLeftOut > 0 ? ['More resources changed than are counted: the first 100,000 are.'] : [],
  };
}
