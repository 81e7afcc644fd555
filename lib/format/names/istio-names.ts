import type { NameParser, ParsedName } from './parsed-name';

const nodeKinds: ReadonlySet<string> = new Set(['sidecar', 'router', 'waypoint', 'ztunnel', 'ingress']);

/** Names that Istio gives without a service, and the direction of their traffic. */
const fixedNames: Readonly<Record<string, 'inbound' | 'outbound' | undefined>> = {
  virtualInbound: 'inbound',
  virtualOutbound: 'outbound',
  PassthroughCluster: 'outbound',
  InboundPassthroughCluster: 'inbound',
  InboundPassthroughClusterIpv4: 'inbound',
  InboundPassthroughClusterIpv6: 'inbound',
};

/** The names that istiod gives to clusters, listeners, route configurations and nodes. */
export const parseIstioName: NameParser = (name, typeName) =>
  parseTrafficName(name) ??
  parseNodeId(name) ??
  parseFixedName(name) ??
  parseAddressName(name) ??
  parseGatewayRoute(name) ??
  parseHostPort(name) ??
  (typeName === 'RDS' ? parsePortName(name) : undefined);

/** "outbound|8080|v1|cart.shop.svc.cluster.local", and "outbound_.8080_.v1_.cart…" of gateways that route by SNI. */
function parseTrafficName(name: string): ParsedName | undefined {
  const isSni = name.startsWith('outbound_.') || name.startsWith('inbound_.');
  const parts = name.split(isSni ? '_.' : '|');
  const [kind = '', second = '', third = '', host = ''] = parts;
  if (kind !== 'outbound' && kind !== 'inbound' && kind !== 'inbound-vip') return undefined;
  const direction = kind === 'outbound' ? 'outbound' : 'inbound';
  // "inbound|http|8080" is a route of the inbound listener.
  if (parts.length === 3) {
    if (kind !== 'inbound' || !isPort(third)) return undefined;
    return { convention: 'istio', title: kind, qualifiers: [`:${third}`, second], port: third, direction };
  }
  if (parts.length !== 4 || !isPort(second)) return undefined;
  const fqdn = kind === 'inbound-vip' ? host.replace(/-(http|tcp)$/, '') : host;
  const { title, service, namespace } = readKubernetesName(fqdn);
  const shown = title === '' ? kind : title;
  return {
    convention: 'istio',
    title: shown,
    qualifiers: [
      `:${second}`,
      third,
      host.slice(fqdn.length),
      isSni ? 'SNI' : '',
      kind === 'outbound' || shown === kind ? '' : kind,
    ].filter((text) => text !== ''),
    ...(service === undefined ? (fqdn === '' ? {} : { service: fqdn }) : { service, namespace }),
    port: second,
    // The third part of "inbound-vip|80|http|…" is a protocol.
    ...(third === '' || kind === 'inbound-vip' ? {} : { subset: third }),
    direction,
    ...(fqdn === '' ? {} : { fqdn }),
  };
}

/** "sidecar~10.1.0.1~cart-1.shop~shop.svc.cluster.local" reads "cart-1.shop". */
function parseNodeId(name: string): ParsedName | undefined {
  const [nodeKind = '', address, workload, domain, ...more] = name.split('~');
  if (!nodeKinds.has(nodeKind) || !address || !workload || domain === undefined || more.length > 0)
    return undefined;
  const dot = workload.lastIndexOf('.');
  const [service, namespace] = dot <= 0 ? [workload] : [workload.slice(0, dot), workload.slice(dot + 1)];
  return {
    ...{ convention: 'istio', title: workload, qualifiers: [], service, nodeKind, address },
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function parseFixedName(name: string): ParsedName | undefined {
  if (name === 'BlackHoleCluster') return { convention: 'istio', title: name, qualifiers: [] };
  const direction = Object.hasOwn(fixedNames, name) ? fixedNames[name] : undefined;
  return direction && { convention: 'istio', title: name, qualifiers: [], direction };
}

/** Listeners and filter chains are named after the address: "0.0.0.0_8080", "inbound_0.0.0.0_8080". */
function parseAddressName(name: string): ParsedName | undefined {
  const [, kind, address, port] =
    /^(?:(inbound|outbound)_)?((?:\d{1,3}\.){3}\d{1,3}|[\da-fA-F:]*::?[\da-fA-F:]*)_(\d{1,5})$/.exec(name) ??
    [];
  if (address === undefined || port === undefined) return undefined;
  return {
    convention: 'istio',
    title: address,
    qualifiers: [`:${port}`, ...(kind === undefined ? [] : [kind])],
    port,
    ...(kind === 'inbound' || kind === 'outbound' ? { direction: kind } : {}),
  };
}

/** Route configurations of gateways: "http.8080", "https.8443.PORT-NAME.GATEWAY.NAMESPACE". */
function parseGatewayRoute(name: string): ParsedName | undefined {
  const [kind, port = '', portName, gateway, namespace, ...more] = name.split('.');
  if (!isPort(port) || more.length > 0) return undefined;
  if (kind === 'http' && portName === undefined)
    return { convention: 'istio', title: 'http', qualifiers: [`:${port}`], port };
  if (kind !== 'https' || !portName || !gateway || !namespace) return undefined;
  return {
    convention: 'istio',
    title: `${gateway}.${namespace}`,
    qualifiers: [`:${port}`, portName],
    ...{ service: gateway, namespace, port },
  };
}

/** Route configurations, virtual hosts, and listeners of gRPC clients: "cart.shop.svc.cluster.local:80". */
function parseHostPort(name: string): ParsedName | undefined {
  const colon = name.lastIndexOf(':');
  const [fqdn, port] = [name.slice(0, colon), name.slice(colon + 1)];
  if (colon === -1 || !fqdn.endsWith('.svc.cluster.local') || !isPort(port)) return undefined;
  const { title, service, namespace } = readKubernetesName(fqdn);
  if (service === undefined) return undefined;
  return { convention: 'istio', title, qualifiers: [`:${port}`], service, namespace, port, fqdn };
}

/** Route configurations of sidecars are named after the port alone. */
function parsePortName(name: string): ParsedName | undefined {
  return isPort(name) ? { convention: 'istio', title: `:${name}`, qualifiers: [], port: name } : undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text);
}

interface KubernetesName {
  /** The name without ".svc.cluster.local"; names of other cluster domains are kept whole. */
  readonly title: string;
  readonly service?: string;
  readonly namespace?: string;
}

const defaultDomain = '.svc.cluster.local';

/** "cart.shop.svc.cluster.local": service "cart" of namespace "shop". Other hosts have no namespace. */
function readKubernetesName(fqdn: string): KubernetesName {
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
