/** Config of Istio for two workloads in the namespace "shop", and an external service. */
export interface Workload {
  readonly name: string;
  readonly ip: string;
}

/** A service and its workload, which is what a Service and a Pod are in Kubernetes. */
export function service(app: string, workloads: readonly Workload[]): string {
  const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${app}, namespace: shop}
spec:
  hosts: [${app}.shop.svc.cluster.local]
  addresses: [10.96.0.${app.length}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: ${app}}}
`;
  const entries = workloads.map(
    ({ name, ip }) => `
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: shop, labels: {app: ${app}}}
spec: {address: ${ip}, serviceAccount: ${app}, labels: {app: ${app}, version: v1}}
`,
  );
  return [entry, ...entries].join('---');
}

export const virtualService = `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: cart, namespace: shop}
spec:
  hosts: [cart.shop.svc.cluster.local]
  http:
  - name: slow
    match: [{uri: {prefix: /slow}}]
    timeout: 5s
    route: [{destination: {host: cart.shop.svc.cluster.local}}]
  - name: usual
    route: [{destination: {host: cart.shop.svc.cluster.local}}]
`;

/** Every sidecar of cart NACKs the cluster: the sizes of its hash ring contradict each other. */
export const rejectedFilter = `
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: rejected, namespace: shop}
spec:
  workloadSelector: {labels: {app: cart}}
  configPatches:
  - applyTo: CLUSTER
    match: {context: SIDECAR_OUTBOUND, cluster: {service: checkout.shop.svc.cluster.local}}
    patch:
      operation: MERGE
      value: {lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 1024, maximum_ring_size: 16}}
`;
