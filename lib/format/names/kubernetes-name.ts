interface KubernetesName {
  /** Without ".svc.cluster.local"; names of other cluster domains are kept whole. */
  readonly title: string;
  readonly service?: string;
  readonly namespace?: string;
}

const defaultDomain = '.svc.cluster.local';

/** "cart.shop.svc.cluster.local": service "cart" of namespace "shop". Other hosts have no namespace. */
export function readKubernetesName(fqdn: string): KubernetesName {
  const at = fqdn.indexOf('.svc.');
  const host = at === -1 ? '' : fqdn.slice(0, at);
  const dot = host.lastIndexOf('.');
  if (dot <= 0 || dot === host.length - 1) return { title: fqdn };
  return {
    title: fqdn.endsWith(defaultDomain) && at === fqdn.length - defaultDomain.length ? host : fqdn,
    service: host.slice(0, dot),
    namespace: host.slice(dot + 1),
  };
}
