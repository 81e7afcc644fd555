import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS, EDS, findResourceType, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Body } from '@/server/observe';
import { bodyOf } from './recorder-emissions';

/** The resources of two clients, a few of which differ, and their bodies. */
export interface TwoSnapshots {
  readonly left: readonly ResourceRow[];
  readonly right: readonly ResourceRow[];
  readonly bodies: ReadonlyMap<string, Body>;
  /** The bytes of one side on the wire. */
  readonly sizeBytes: number;
}

const endpointsEach = 19;

function documentOf(typeUrl: string, name: string, index: number, generation: number): object {
  if (typeUrl === CDS.typeUrl) {
    return {
      name,
      type: 'EDS',
      edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: name },
      connectTimeout: '10s',
      circuitBreakers: { thresholds: [{ maxRequests: 4096 + generation }] },
      metadata: { filterMetadata: { istio: { services: [{ host: name, name, namespace: 'shop' }] } } },
    };
  }
  if (typeUrl === RDS.typeUrl) {
    const routes = ['/a', '/b', '/c'].map((prefix, route) => ({
      name: prefix,
      match: { prefix },
      route: {
        weightedClusters: {
          clusters: [
            { name, weight: 80 + (route === 1 ? generation : 0) },
            { name: `${name}-2`, weight: 20 },
          ],
        },
      },
    }));
    return { name, virtualHosts: [{ name: 'shop', domains: [name, `${name}:80`], routes }] };
  }
  const lbEndpoints = Array.from({ length: endpointsEach }, (_, host) => ({
    endpoint: {
      address: { socketAddress: { address: `10.${index >> 8}.${index & 255}.${host}`, portValue: 8080 } },
    },
    healthStatus: 'HEALTHY',
    loadBalancingWeight: host === 3 ? 1 + generation : 1,
    metadata: { filterMetadata: { istio: { workload: `service-${index};shop;v1;cluster.local` } } },
  }));
  // The endpoints of every second changed assignment are also reordered.
  if (generation > 0 && index % 2 === 0) lbEndpoints.reverse();
  return { clusterName: name, endpoints: [{ locality: { region: 'eu', zone: 'eu-1' }, lbEndpoints }] };
}

function rowOf({ typeUrl, hash, bytes }: Body, name: string): ResourceRow {
  const at = Date.parse('2026-11-21T00:00:00Z');
  // A literal, like the rows of the server: V8 takes twice as long to read objects that were built by spreading.
  return {
    typeUrl,
    service: findResourceType(typeUrl)?.service ?? '',
    name,
    versionInfo: '1',
    state: 'ACKED',
    clientStatus: 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: at,
    errorState: null,
    hash,
    sizeBytes: bytes.length,
    isStatic: false,
    changedAt: at,
    sourceId: 'csds:a:1',
    side: 'client',
    answer: null,
    effect: null,
    controlPlane: null,
  };
}

/** A third each are clusters, route configurations and endpoints; every `every`th resource differs on the right. */
export function makeTwoSnapshots(resources: number, every: number): TwoSnapshots {
  const bodies = new Map<string, Body>();
  const [left, right]: [ResourceRow[], ResourceRow[]] = [[], []];
  let sizeBytes = 0;
  for (let at = 0; at < resources; at++) {
    const index = Math.floor(at / 3);
    const typeUrl = [CDS.typeUrl, RDS.typeUrl, EDS.typeUrl][at % 3] ?? CDS.typeUrl;
    const name = `outbound|8080||service-${index}.shop.svc.cluster.local`;
    const one = bodyOf(encodeBody(typeUrl, documentOf(typeUrl, name, index, 0)), typeUrl);
    const other =
      at % every === 0 ? bodyOf(encodeBody(typeUrl, documentOf(typeUrl, name, index, 1)), typeUrl) : one;
    bodies.set(one.hash, one);
    bodies.set(other.hash, other);
    left.push(rowOf(one, name));
    right.push(rowOf(other, name));
    sizeBytes += one.bytes.length;
  }
  return { left: left.sort(compareResourceKeys), right: right.sort(compareResourceKeys), bodies, sizeBytes };
}
