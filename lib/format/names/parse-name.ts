import { probeNodePrefix } from '../../xds/client-scope';
import { parseResourceName } from '../../xds/resource-name';
import { formatResourceType } from '../../xds/resource-type';
import { parseIstioName } from './istio-names';
import { parseKumaName } from './kuma-names';
import type { NameParser, ParsedName } from './parsed-name';

/** gRFC A47: the id first, then the authority, the context parameters and the directives. The type is shown elsewhere. */
const parseXdstpName: NameParser = (text) => {
  const parsed = parseResourceName(text);
  if (!parsed.ok || parsed.name.kind === 'old-style') return undefined;
  const { authority, id, contextParams, directives } = parsed.name;
  return {
    convention: 'xdstp',
    title: id,
    qualifiers: [
      authority === '' ? 'no authority' : authority,
      ...[...contextParams].map(([key, value]) => `${key}=${value}`),
      ...(directives === '' ? [] : [`#${directives}`]),
    ],
  };
};

/** "xdscope-probe@10.0.0.1:15010?transport=delta-ads" reads "probe 10.0.0.1:15010" and "delta-ads". */
const parseProbeName: NameParser = (name) => {
  const prefix = `${probeNodePrefix}@`;
  if (!name.startsWith(prefix)) return undefined;
  const [, target, variant] = /^([^?]+)(?:\?(.+))?$/s.exec(name.slice(prefix.length)) ?? [];
  if (target === undefined) return undefined;
  const qualifiers = variant?.split('&').map((part) => part.slice(part.indexOf('=') + 1)) ?? [];
  return { convention: 'xdscope', title: `probe ${target}`, qualifiers };
};

/** The kinds of objects that Envoy Gateway names resources after, as Kubernetes spells them. */
const kinds: Readonly<Record<string, string>> = {
  httproute: 'HTTPRoute',
  grpcroute: 'GRPCRoute',
  tcproute: 'TCPRoute',
  tlsroute: 'TLSRoute',
  udproute: 'UDPRoute',
  securitypolicy: 'SecurityPolicy',
  backendtrafficpolicy: 'BackendTrafficPolicy',
  envoyextensionpolicy: 'EnvoyExtensionPolicy',
};

/** Segments of a name that are followed by an index. */
const counted: ReadonlySet<string> = new Set(['rule', 'backend', 'match', 'tls', 'extauth', 'extproc']);

/**
 * "httproute/shop/cart/rule/0/backend/1" (clusters, routes), "service/shop/cart/8162/udp", and of listeners and route
 * configurations "NAMESPACE/GATEWAY/LISTENER".
 */
const parseEnvoyGatewayName: NameParser = (name, typeName) => {
  const [kind = '', namespace, object, ...rest] = name.split('/');
  if (!namespace || !object) return undefined;
  if (kind === 'service' && rest.length === 2) {
    const [port = '', protocol = ''] = rest;
    return {
      convention: 'envoy-gateway',
      title: `${object}.${namespace}`,
      qualifiers: [`:${port}`, protocol],
      ...{ service: object, namespace, port },
    };
  }
  const label = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (label !== undefined) {
    return {
      convention: 'envoy-gateway',
      title: `${namespace}/${object}`,
      qualifiers: [...pairUp(rest), label],
      ...{ service: object, namespace },
    };
  }
  const isListener = (typeName === 'LDS' || typeName === 'RDS') && rest.length === 0 && kind !== '';
  if (!isListener) return undefined;
  return { convention: 'envoy-gateway', title: name, qualifiers: [], service: namespace, namespace: kind };
};

/** "rule", "0", "match", "0", "cart_example" reads "rule 0", "match 0", "cart_example". */
function pairUp(segments: readonly string[]): string[] {
  const texts: string[] = [];
  for (let at = 0; at < segments.length; at += 1) {
    const [segment = '', index] = segments.slice(at, at + 2);
    const isPair = counted.has(segment) && index !== undefined;
    texts.push(isPair ? `${segment} ${index}` : segment);
    if (isPair) at += 1;
  }
  return texts;
}

/** Contour ends the name of a cluster with a hash of its policies; this is the one of a cluster without any. */
const noPolicies = 'da39a3ee5e';

/** Clusters are named "NAMESPACE/SERVICE/PORT/HASH", listeners and route configurations after their entry point. */
const parseContourName: NameParser = (name) => {
  if (name === 'ingress_http' || name === 'ingress_https')
    return { convention: 'contour', title: name, qualifiers: [], direction: 'inbound' };
  const [, namespace, service, port, hash] = /^([^/]+)\/([^/]+)\/([\w-]+)\/([\da-f]{10})$/.exec(name) ?? [];
  if (namespace === undefined || service === undefined || port === undefined || hash === undefined)
    return undefined;
  return {
    convention: 'contour',
    title: `${service}.${namespace}`,
    qualifiers: [/^\d+$/.test(port) ? `:${port}` : port, ...(hash === noPolicies ? [] : [hash])],
    ...{ service, namespace, port, direction: 'outbound' },
  };
};

/** The trust domain of a mesh is a UUID, with ".consul" in all but some names of peered servers. */
const sni =
  /^(?:([^~/|]+)~)?([^~/|]+)\.(internal|internal-v1|external|query|peering)\.([\da-f]{8}-[\da-f-]{27}(?:\.[a-z.]+)?)$/;

/**
 * "v1.db.default.dc1.internal.TRUST-DOMAIN": subset, service, namespace and data centre; "internal-v1" names have a
 * partition before the data centre. The trust domain is common to the mesh and is not shown.
 */
const parseConsulName: NameParser = (name, typeName) => {
  if (name === 'local_app')
    return { convention: 'consul', title: name, qualifiers: [], direction: 'inbound' };
  return parseListener(name, typeName) ?? parseSni(name);
};

function parseSni(name: string): ParsedName | undefined {
  const [, prefix, host = '', kind = '', trustDomain] = sni.exec(name) ?? [];
  if (trustDomain === undefined) return undefined;
  const labels = host.split('.');
  const marks = [...(kind === 'internal' ? [] : [kind]), ...(prefix === undefined ? [] : [prefix])];
  // The namespace is followed by the data centre or the peer, after the partition if the name states one.
  const placeLabels = kind === 'internal-v1' ? 2 : 1;
  const service = labels.slice(0, -placeLabels - 1).at(-1);
  const namespace = labels.slice(0, -placeLabels).at(-1);
  if (kind === 'peering' || service === undefined || namespace === undefined)
    return {
      convention: 'consul',
      title: host,
      qualifiers: [kind, ...marks.filter((text) => text !== kind)],
    };
  const subset = labels.slice(0, -placeLabels - 2).join('.');
  return {
    convention: 'consul',
    title: `${service}.${namespace}`,
    qualifiers: [...labels.slice(-placeLabels), ...(subset === '' ? [] : [subset]), ...marks],
    ...{ service, namespace },
    ...(subset === '' ? {} : { subset }),
    fqdn: name.slice(prefix === undefined ? 0 : prefix.length + 1),
  };
}

/** "public_listener:0.0.0.0:8443"; a listener of an upstream is "UPSTREAM:ADDRESS:PORT". */
function parseListener(name: string, typeName: string | undefined): ParsedName | undefined {
  const [, service, address, port] = /^([\w-]+):((?:\d{1,3}\.){3}\d{1,3}):(\d{1,5})$/.exec(name) ?? [];
  if (service === undefined || address === undefined || port === undefined) return undefined;
  const isPublic = service === 'public_listener';
  if (!isPublic && typeName !== 'LDS') return undefined;
  return {
    convention: 'consul',
    title: service,
    qualifiers: [`:${port}`, ...(address === '127.0.0.1' ? [] : [address])],
    port,
    ...(isPublic ? { direction: 'inbound' } : { service }),
  };
}

/** Longer names are not parsed; conventions stay far below it. */
const maxChars = 1024;

/** Contour and Kuma are before Envoy Gateway and Consul, whose forms are more general. */
const parsers: readonly NameParser[] = [
  ...[parseProbeName, parseXdstpName, parseIstioName, parseKumaName],
  ...[parseContourName, parseEnvoyGatewayName, parseConsulName],
];

/**
 * The parts of a name by the convention of its control plane; undefined for a name without one. Some conventions are only
 * recognised with the type of the resource, since "8080" or "a/b/c" alone may be anything.
 */
export function parseName(name: string, typeUrl?: string): ParsedName | undefined {
  if (name.length > maxChars) return undefined;
  const typeName = typeUrl === undefined ? undefined : formatResourceType(typeUrl);
  for (const parse of parsers) {
    const parsed = parse(name, typeName);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}
