/**
 * Returns the name of a proxy of Istio as NAME.NAMESPACE, which is unique in its Kubernetes cluster; undefined for
 * other nodes. A proxy's own node id is TYPE~IP~NAME.NAMESPACE~DOMAIN, and that in reports of istiod is the name alone.
 */
export function findProxyName({
  id,
  metadata,
}: {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}): string | undefined {
  const [, name] = /^(?:sidecar|router|waypoint|ztunnel)~[\da-f.:]+~([^~]+\.[^~.]+)~[^~]+$/i.exec(id) ?? [];
  if (name !== undefined) return name;
  // Kubernetes: the name of a pod is a DNS subdomain, that of a namespace a DNS label.
  const isOfIstiod = typeof metadata.CLUSTER_ID === 'string' && /^[a-z\d][a-z\d.-]*\.[a-z\d-]+$/.test(id);
  return isOfIstiod ? id : undefined;
}
