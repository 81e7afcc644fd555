import type { NameParser } from './parsed-name';

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
export const parseEnvoyGatewayName: NameParser = (name, typeName) => {
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
