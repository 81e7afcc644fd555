/** Config of Envoy Gateway for one Gateway in the namespace "shop". */
export interface GatewayConfig {
  readonly envoyVersion: string;
  /** The port of each listener of the Gateway. */
  readonly ports: Readonly<Record<string, number>>;
  readonly backendPort: number;
  /** Rules of the route before the one for every path. */
  readonly rules?: string;
}

const node = 'gateway.envoyproxy.io/v1alpha1';
const api = 'gateway.networking.k8s.io/v1';

export function gatewayConfig({ envoyVersion, ports, backendPort, rules = '' }: GatewayConfig): string {
  const listeners = Object.entries(ports).map(
    ([name, port]) => `  - {name: ${name}, protocol: HTTP, port: ${port}}`,
  );
  return `
apiVersion: ${api}
kind: GatewayClass
metadata: {name: eg}
spec:
  controllerName: gateway.envoyproxy.io/gatewayclass-controller
  parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, namespace: shop, name: proxy}
---
apiVersion: ${node}
kind: EnvoyProxy
metadata: {name: proxy, namespace: shop}
spec:
  provider: {type: Host, host: {envoyVersion: ${envoyVersion}}}
---
apiVersion: ${api}
kind: Gateway
metadata: {name: eg, namespace: shop}
spec:
  gatewayClassName: eg
  listeners:
${listeners.join('\n')}
---
apiVersion: ${api}
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec:
  parentRefs: [{name: eg}]
  rules:
${rules}
  - matches: [{path: {type: PathPrefix, value: /}}]
    backendRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: cart}]
---
apiVersion: ${node}
kind: Backend
metadata: {name: cart, namespace: shop}
spec:
  endpoints: [{ip: {address: 127.0.0.1, port: ${backendPort}}}]
`;
}

export const slowRule = `
  - matches: [{path: {type: PathPrefix, value: /slow}}]
    timeouts: {request: 5s}
    backendRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: cart}]`;

/** Envoy NACKs the cluster, because it has no such load balancing policy. */
export const rejectedPatch = `
apiVersion: ${node}
kind: EnvoyPatchPolicy
metadata: {name: rejected, namespace: shop}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: eg}
  type: JSONPatch
  jsonPatches:
  - type: type.googleapis.com/envoy.config.cluster.v3.Cluster
    name: httproute/shop/cart/rule/0
    operation:
      op: add
      path: /load_balancing_policy
      value:
        policies:
        - typed_extension_config:
            name: unknown
            typed_config: {"@type": type.googleapis.com/google.protobuf.Struct, value: {}}
`;
