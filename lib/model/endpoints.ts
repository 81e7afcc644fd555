import { by } from '../collections/compare';
import type { EndpointFailure, FailingLoad } from '../facts/failing-endpoints';
import type { Locality } from '../observation/observation';
import { formatAddress } from './address';
import type { FieldReader } from './field-reader';
import { readPercent } from './fractional-percent';
import { type LbMetadata, readLbMetadata } from './subset';

export interface Endpoint {
  /** "127.0.0.1:8080"; empty if not reported. */
  readonly address: string;
  readonly additionalAddresses: readonly string[];
  readonly hostname: string;
  /** Name of the envoy.config.core.v3.HealthStatus; the number of an unknown value. */
  readonly health: string;
  /**
   * The reason why Envoy excludes or demotes the endpoint; empty if it does not. Absent if Envoy's host states are
   * not known.
   */
  readonly seenAs?: string;
  /** The health in EDS. Absent if it is `health`. */
  readonly edsHealth?: string;
  /** Its failure as the client measured it; absent: none is. */
  readonly failure?: EndpointFailure;
  /** Absent if unset, which counts as 1. */
  readonly weight?: number | undefined;
  /** By which an Envoy makes subsets; absent: none. */
  readonly metadata?: LbMetadata;
}

export interface LocalityEndpoints {
  /** The index in `endpoints` of the resource, whose order the priorities do not keep. */
  readonly index: number;
  /** Absent if not reported. gRPC rejects that (rule E3) unless the locality has no weight. */
  readonly locality?: Locality | undefined;
  /** Absent if unset. gRPC skips a locality whose weight is unset or 0 (rule E2); the model keeps it. */
  readonly weight?: number | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Set if every request to the locality failed, by load reports. */
  readonly isFailing?: true;
  /** The LEDS collection that lists the endpoints instead; empty if there is none. */
  readonly ledsCollection: string;
}

export interface EndpointPriority {
  /** 0 is the highest priority. */
  readonly priority: number;
  readonly localities: readonly LocalityEndpoints[];
}

/** A ClusterLoadAssignment: an EDS resource, or the load_assignment inside a cluster. */
export interface LoadAssignment {
  readonly clusterName: string;
  /** Ascending by priority; localities in the order of the resource. */
  readonly priorities: readonly EndpointPriority[];
  /**
   * The drops in the order in which they are applied. `percent` is absent if it is absent or has an unknown
   * denominator.
   */
  readonly dropOverloads: readonly { readonly category: string; readonly percent?: number | undefined }[];
  /** The factor in per cent; null if unset, which counts as 140. Only Envoy uses this field and the next. */
  readonly overprovisioningFactor: number | null;
  /** If true, the health of a priority is computed from weights, not from numbers of endpoints. */
  readonly weightedPriorityHealth: boolean;
  /** What load reports show to fail; absent: nothing. */
  readonly failingLoad?: FailingLoad;
  /** Set if the metadata of the endpoints is not reported. */
  readonly lacksMetadata?: true;
}

/**
 * Adds the measured failures to the endpoints and localities. Load reports count the requests to a locality: only if it has a
 * single endpoint, they are the requests to this one. In two priorities, a locality is not known to fail in either.
 */
export function withFailures<T extends LoadAssignment>(
  assignment: T,
  findFailure: (address: string) => EndpointFailure | undefined,
  load?: FailingLoad,
): T {
  const all = assignment.priorities.flatMap(({ localities }) => localities);
  const isAny = all.some(({ endpoints }) =>
    endpoints.some(({ address }) => findFailure(address) !== undefined),
  );
  if (!isAny && load === undefined) return assignment;
  const names = all.map(({ locality }) => localityKey(locality));
  const failing = new Set(
    load?.localities.filter((name) => names.indexOf(name) === names.lastIndexOf(name)) ?? [],
  );
  const priorities = assignment.priorities.map((priority) => ({
    ...priority,
    localities: priority.localities.map((group): LocalityEndpoints => {
      const isFailing = failing.has(localityKey(group.locality));
      const ofGroup = isFailing && group.endpoints.length === 1 ? 'requests' : undefined;
      const endpoints = group.endpoints.map((endpoint) => {
        const failure = findFailure(endpoint.address) ?? ofGroup;
        return failure === undefined ? endpoint : { ...endpoint, failure };
      });
      return isFailing ? { ...group, endpoints, isFailing } : { ...group, endpoints };
    }),
  }));
  return { ...assignment, priorities, ...(load && { failingLoad: load }) };
}

/** The same for localities that have the same parts. One without parts is the same as none. */
export function localityKey(locality: Locality | null | undefined): string {
  return JSON.stringify([locality?.region ?? '', locality?.zone ?? '', locality?.subZone ?? '']);
}

export const noAssignment: LoadAssignment = {
  clusterName: '',
  priorities: [],
  dropOverloads: [],
  overprovisioningFactor: null,
  weightedPriorityHealth: false,
};

export interface EndpointsModel extends LoadAssignment {
  readonly kind: 'endpoints';
}

export function readLoadAssignment(assignment: FieldReader): LoadAssignment {
  const byPriority = new Map<number, LocalityEndpoints[]>();
  const policy = assignment.object('policy');
  for (const [index, group] of assignment.objects('endpoints').entries()) {
    const priority = group.number('priority') ?? 0;
    const localities = byPriority.get(priority);
    if (localities === undefined) byPriority.set(priority, [readGroup(group, index)]);
    else localities.push(readGroup(group, index));
  }
  return {
    clusterName: assignment.string('clusterName'),
    priorities: [...byPriority]
      .sort(by(([key]) => key))
      .map(([priority, localities]) => ({ priority, localities })),
    dropOverloads: (policy?.objects('dropOverloads') ?? []).map((drop) => ({
      category: drop.string('category'),
      percent: readPercent(drop.object('dropPercentage')),
    })),
    overprovisioningFactor: policy?.number('overprovisioningFactor') ?? null,
    weightedPriorityHealth: policy?.boolean('weightedPriorityHealth') ?? false,
  };
}

function readGroup(group: FieldReader, index: number): LocalityEndpoints {
  const locality = group.object('locality');
  const leds = group.object('ledsClusterLocalityConfig');
  const members = group.objects('lbEndpoints');
  return {
    index,
    locality: locality && readLocality(locality),
    weight: group.number('loadBalancingWeight'),
    endpoints: [...members, ...(group.object('loadBalancerEndpoints')?.objects('lbEndpoints') ?? [])].map(
      readEndpoint,
    ),
    ledsCollection: leds?.string('ledsCollectionName') ?? '',
  };
}

/** Reads an envoy.config.core.v3.Locality. */
export function readLocality(locality: FieldReader): Locality {
  return {
    region: locality.string('region'),
    zone: locality.string('zone'),
    subZone: locality.string('subZone'),
  };
}

function readEndpoint(member: FieldReader): Endpoint {
  const endpoint = member.object('endpoint');
  const metadata = readLbMetadata(member.object('metadata'));
  return {
    address: formatAddress(endpoint?.object('address')) || member.string('endpointName'),
    additionalAddresses: (endpoint?.objects('additionalAddresses') ?? []).map((additional) =>
      formatAddress(additional.object('address')),
    ),
    hostname: endpoint?.string('hostname') ?? '',
    health: member.enumName('healthStatus', 'UNKNOWN'),
    weight: member.number('loadBalancingWeight'),
    ...(metadata !== undefined && { metadata }),
  };
}
