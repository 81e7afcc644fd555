import type { HistoryDetail } from '../../api/history';
import type { ClusterLoad, Observation } from '../../observation/observation';

/** Of each list in a message; the resources beside it are paged. */
const mostItems = 200;

export interface MessageContext {
  /** The stream's method is the incremental one. */
  readonly isDelta: boolean;
  /** Of an ACK or a NACK that does not tell them itself: the names that the stream asked for last. null: not known. */
  readonly askedNames: readonly string[] | null;
}

/**
 * The message that an observation stands for, rebuilt as proto3 JSON. Resources are named with the hash and size of
 * their bodies. null: it stands for none.
 */
export function buildMessage(observation: Observation, context: MessageContext): HistoryDetail['message'] {
  const list = new CutLists();
  const content = messageOf(observation, context, list);
  if (content === undefined) return null;
  const [typeName, json] = content;
  return { typeName, json: JSON.stringify(json, leaveOut, 2), isCut: list.isCut };
}

function messageOf(
  observation: Observation,
  { isDelta, askedNames }: MessageContext,
  list: CutLists,
): readonly [typeName: string, json: object] | undefined {
  switch (observation.kind) {
    case 'request-sent': {
      const { typeUrl, versionInfo, responseNonce, resourceNames, unsubscribedNames = [] } = observation;
      const names = list.cut(resourceNames);
      return isDelta
        ? [
            discovery('DeltaDiscoveryRequest'),
            {
              typeUrl,
              resourceNamesSubscribe: names,
              resourceNamesUnsubscribe: list.cut(unsubscribedNames),
              responseNonce,
            },
          ]
        : [discovery('DiscoveryRequest'), { versionInfo, resourceNames: names, typeUrl, responseNonce }];
    }
    case 'ack-sent':
    case 'nack-sent': {
      const { typeUrl, versionInfo, nonce: responseNonce, resourceNames } = observation;
      const errorDetail =
        observation.kind === 'ack-sent'
          ? undefined
          : { code: observation.errorCode, message: observation.errorDetail };
      if (isDelta) {
        const resourceNamesSubscribe = list.cut(resourceNames ?? []);
        const answer = { typeUrl, resourceNamesSubscribe, responseNonce, errorDetail };
        return [discovery('DeltaDiscoveryRequest'), answer];
      }
      const names = list.cut(resourceNames ?? askedNames ?? []);
      const answer = { versionInfo, resourceNames: names, typeUrl, responseNonce, errorDetail };
      return [discovery('DiscoveryRequest'), answer];
    }
    case 'response-received': {
      const { typeUrl, versionInfo, nonce, resources, removedNames = [], controlPlane } = observation;
      const named = list
        .cut(resources)
        .map(({ name, hash, sizeBytes }) => ({ '@type': typeUrl, name, sha256: hash, sizeBytes }));
      const sender = controlPlane === '' ? undefined : { identifier: controlPlane };
      return isDelta
        ? [
            discovery('DeltaDiscoveryResponse'),
            {
              systemVersionInfo: versionInfo,
              resources: named,
              typeUrl,
              removedResources: list.cut(removedNames),
              nonce,
              controlPlane: sender,
            },
          ]
        : [
            discovery('DiscoveryResponse'),
            { versionInfo, resources: named, typeUrl, nonce, controlPlane: sender },
          ];
    }
    case 'load-reported': {
      const { node, clusters } = observation;
      const clusterStats = list.cut(clusters).map((cluster) => clusterStatsOf(cluster, list));
      return ['envoy.service.load_stats.v3.LoadStatsRequest', { node: { id: node.id }, clusterStats }];
    }
    default:
      return undefined;
  }
}

function clusterStatsOf(cluster: ClusterLoad, list: CutLists): object {
  const { clusterName, clusterServiceName, localities, totalDropped, dropped, intervalMs } = cluster;
  return {
    clusterName,
    clusterServiceName,
    upstreamLocalityStats: list.cut(localities).map(({ locality, priority, ...counts }) => ({
      locality,
      totalSuccessfulRequests: counts.successful,
      totalRequestsInProgress: counts.inProgress,
      totalErrorRequests: counts.errors,
      totalIssuedRequests: counts.issued ?? undefined,
      priority,
    })),
    totalDroppedRequests: totalDropped,
    droppedRequests: list.cut(dropped).map(({ category, count }) => ({ category, droppedCount: count })),
    loadReportInterval: intervalMs === null ? undefined : `${intervalMs / 1_000}s`,
  };
}

function discovery(message: string): string {
  return `envoy.service.discovery.v3.${message}`;
}

/** proto3 JSON leaves out what is empty. */
function leaveOut(_key: string, value: unknown): unknown {
  return value === '' || value === 0 || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

class CutLists {
  isCut = false;

  cut<T>(items: readonly T[]): readonly T[] {
    this.isCut ||= items.length > mostItems;
    return items.slice(0, mostItems);
  }
}
