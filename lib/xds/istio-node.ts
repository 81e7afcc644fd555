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
  const isOfIstiod = typeof metadata.CLUSTER_ID === 'string' && /^[^~]+\.[^~.]+$/.test(id);
  return isOfIstiod ? id : undefined;
}
