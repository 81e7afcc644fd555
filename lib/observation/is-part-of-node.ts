import type { NodeInfo } from './observation';

/** Does `node` tell nothing that `whole` does not tell alike? A control plane passes on some of what a client says. */
export function isPartOfNode(node: NodeInfo, whole: NodeInfo): boolean {
  const { id, cluster, locality, userAgentName, userAgentVersion, clientFeatures, metadata } = node;
  const isReported = (text: string, theirs: string): boolean => text === '' || text === theirs;
  return (
    id === whole.id &&
    isReported(cluster, whole.cluster) &&
    isReported(userAgentName, whole.userAgentName) &&
    isReported(userAgentVersion, whole.userAgentVersion) &&
    (locality === null || isSame(locality, whole.locality)) &&
    clientFeatures.every((feature) => whole.clientFeatures.includes(feature)) &&
    Object.entries(metadata).every(([key, value]) => isSame(value, whole.metadata[key]))
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
