import type { ClusterLoad, Observation } from '../../observation/observation';
import type { HistoryDetail } from './schema';

/** The largest number of items of each list in a message. */
const mostItems = 200;

interface MessageContext {
  readonly isDelta: boolean;
  /** The names of the stream's last request, for an ACK or a NACK without names; null if they are not known. */
  readonly requestedNames: readonly string[] | null;
}

/**
 * Rebuilds the message of an observation as proto3 JSON, with the hashes and sizes of the bodies of resources. Returns
 * null if the observation is not of a message.
 */
export function buildMessage(observation: Observation, context: MessageContext): HistoryDetail['message'] {
  const list = new CutLists();
  const content = messageOf(observation, context, list);
  if (content === undefined) return undefined;
  const [typeName, json] = content;
  return { typeName, json: JSON.stringify(json, leaveOut, 2), isCut: list.isCut };
}

function messageOf(
  observation: Observation,
  { isDelta, requestedNames }: MessageContext,
  list: CutLists,
): readonly [typeName: string, json: object] | undefined {
  switch (observation.kind) {
    case 'request-sent': {
      const { typeUrl, versionInfo, responseNonce, resourceNames, unsubscribedNames = [] } = observation;
      const names = list.cut(resourceNames);
      if (!isDelta) {
        return [discovery('DiscoveryRequest'), { versionInfo, resourceNames: names, typeUrl, responseNonce }];
      }
      const resourceNamesUnsubscribe = list.cut(unsubscribedNames);
      const request = { typeUrl, resourceNamesSubscribe: names, resourceNamesUnsubscribe, responseNonce };
      return [discovery('DeltaDiscoveryRequest'), request];
    }
    case 'ack-sent':
    case 'nack-sent': {
      const { typeUrl, versionInfo, nonce, resourceNames, unsubscribedNames = [] } = observation;
      const { isInferred = false } = observation;
      const responseNonce = isInferred ? '' : nonce;
      const errorDetail =
        observation.kind === 'ack-sent' || isInferred
          ? undefined
          : { code: observation.errorCode, message: observation.errorDetail };
      if (isDelta) {
        const resourceNamesSubscribe = list.cut(resourceNames ?? []);
        const resourceNamesUnsubscribe = list.cut(unsubscribedNames);
        const names = { resourceNamesSubscribe, resourceNamesUnsubscribe };
        const answer = { typeUrl, ...names, responseNonce, errorDetail };
        return [discovery('DeltaDiscoveryRequest'), answer];
      }
      const names = list.cut(resourceNames ?? requestedNames ?? []);
      const answer = { versionInfo, resourceNames: names, typeUrl, responseNonce, errorDetail };
      return [discovery('DiscoveryRequest'), answer];
    }
    case 'response-received': {
      const { typeUrl, versionInfo, nonce, resources, removedNames = [], controlPlane } = observation;
      const named = list
        .cut(resources)
        .map(({ name, hash, sizeBytes }) => ({ '@type': typeUrl, name, sha256: hash, sizeBytes }));
      const sender = controlPlane === '' ? undefined : { identifier: controlPlane };
      const content = { resources: named, typeUrl, nonce, controlPlane: sender };
      if (!isDelta) return [discovery('DiscoveryResponse'), { versionInfo, ...content }];
      const removedResources = list.cut(removedNames);
      return [
        discovery('DeltaDiscoveryResponse'),
        { systemVersionInfo: versionInfo, ...content, removedResources },
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

/** proto3 JSON leaves out empty values. */
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
