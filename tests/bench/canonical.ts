import { EDS } from '@/lib/xds/resource-type';
import { canonicalWire } from '@/server/codec/canonical-wire';
import { encodeBody } from '@/server/codec/encode-body';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { takeBody } from '@/server/codec/take-body';
import { median, print } from './measure';

/** The share of canonical order in the time in which bodies are taken: endpoints of a mesh, as Envoy and istiod write them. */
const resources = 2_000;
const hosts = 10;
const rounds = 15;
const marker = createRedactionMarker(Buffer.from('bench'));

type Order = 'no maps' | 'in order' | 'in another order';

function endpoints(name: string, order: Order): Uint8Array {
  const keys = ['envoy.transport_socket_match', 'istio'];
  const sorted = order === 'in order' ? keys : keys.reverse();
  const filterMetadata = Object.fromEntries(
    sorted.map((key) => [key, { tlsMode: 'istio', workload: `${name};shop;${name};v1;Kubernetes` }]),
  );
  const lbEndpoints = Array.from({ length: hosts }, (_, index) => ({
    endpoint: { address: { socketAddress: { address: `10.1.0.${index}`, portValue: 8080 } } },
    healthStatus: 'HEALTHY',
    loadBalancingWeight: 1,
    ...(order !== 'no maps' && { metadata: { filterMetadata } }),
  }));
  return encodeBody(EDS.typeUrl, {
    clusterName: name,
    endpoints: [{ locality: { zone: 'a' }, lbEndpoints }],
  });
}

function measure(run: () => unknown): number {
  const took: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (round >= 3) took.push((user + system) / resources);
  }
  return median(took);
}

for (const order of ['no maps', 'in order', 'in another order'] as const) {
  const bodies = Array.from({ length: resources }, (_, index) =>
    endpoints(`outbound|80||svc-${index}`, order),
  );
  const bytes = Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / resources);
  const ordering = measure(() => {
    for (const body of bodies) canonicalWire(EDS.typeUrl, body);
  });
  const taking = measure(() => {
    for (const body of bodies) takeBody(EDS.typeUrl, body, marker);
  });
  const share = (100 * ordering) / taking;
  print(
    `${order}, ${bytes} bytes each: canonical order ${ordering.toFixed(1)} µs of ${taking.toFixed(1)} µs for a body (${share.toFixed(0)} %)`,
  );
}
