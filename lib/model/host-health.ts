import { by } from '../collections/compare';
import type { Locality } from '../observation/observation';
import { formatAddress } from './address';
import {
  type Endpoint,
  type LoadAssignment,
  type LocalityEndpoints,
  noAssignment,
  readLocality,
} from './endpoints';
import { FieldReader } from './field-reader';

/** The state of a host in Envoy: envoy.admin.v3.HostStatus of /clusters. */
interface HostHealth {
  /** Name of the envoy.config.core.v3.HealthStatus that results from all of Envoy's information. */
  readonly health: string;
  /** The reason why the health differs from EDS; empty if nothing excludes the host. */
  readonly reason: string;
}

/** envoy.admin.v3.ClusterStatus. */
export interface HostHealthModel {
  readonly kind: 'host-health';
  /** Name of the EDS resource of its hosts; empty if it is the cluster's name. */
  readonly serviceName: string;
  /** Keys are addresses in the same form as in endpoints. */
  readonly hosts: ReadonlyMap<string, Host>;
}

interface Host extends HostHealth {
  readonly hostname: string;
  readonly priority: number;
  readonly locality: Locality | undefined;
  readonly weight: number | undefined;
}

export const hostHealthTypeUrl = 'type.googleapis.com/envoy.admin.v3.ClusterStatus';

export function readHostHealth(status: FieldReader): HostHealthModel {
  const hosts = new Map<string, Host>();
  for (const host of status.objects('hostStatuses')) {
    const address = formatAddress(host.object('address'));
    if (address === '') continue;
    const locality = host.object('locality');
    hosts.set(address, {
      ...healthOf(host.object('healthStatus')),
      hostname: host.string('hostname'),
      priority: host.number('priority') ?? 0,
      locality: locality && readLocality(locality),
      weight: host.number('weight'),
    });
  }
  return { kind: 'host-health', serviceName: status.string('edsServiceName'), hosts };
}

const excludedByChecks = 'excluded by active health checks';

/** Fields of HostHealthStatus that override the EDS health of a host, or leave it as it is (''), in order of precedence. */
const marks: readonly (readonly [field: string, health: string, reason: string])[] = [
  ['failedActiveHealthCheck', 'UNHEALTHY', excludedByChecks],
  ['failedOutlierCheck', 'UNHEALTHY', 'ejected by outlier detection'],
  ['pendingActiveHc', 'UNHEALTHY', 'waiting for the first health check'],
  ['excludedViaImmediateHcFail', 'UNHEALTHY', 'excluded by x-envoy-immediate-health-check-fail'],
  ['failedActiveDegradedCheck', 'DEGRADED', 'degraded by x-envoy-degraded'],
  // Measured with Envoy 1.40.0: such a host gets requests.
  ['pendingDynamicRemoval', '', 'removed from EDS and kept while healthy'],
];

export interface HostLine extends HostHealth {
  readonly address: string;
  readonly hostname: string;
  /** "eu/eu-1/r"; empty if not reported. */
  readonly locality: string;
  readonly priority: number;
  readonly weight: number;
  /** The health that EDS reported, for comparison with Envoy's. */
  readonly edsHealth: string;
}

/** All hosts of an envoy.admin.v3.ClusterStatus: unhealthy hosts first, else in their order. */
export function listHosts(json: unknown): HostLine[] {
  const lines = FieldReader.open(json, [])
    .objects('hostStatuses')
    .map((host): HostLine => {
      const status = host.object('healthStatus');
      const locality = host.object('locality');
      const parts = ['region', 'zone', 'subZone'].map((part) => locality?.string(part) ?? '');
      return {
        ...healthOf(status),
        address: formatAddress(host.object('address')),
        hostname: host.string('hostname'),
        locality: parts.filter((part) => part !== '').join('/'),
        priority: host.number('priority') ?? 0,
        weight: host.number('weight') ?? 0,
        edsHealth: status?.enumName('edsHealthStatus', 'UNKNOWN') ?? 'UNKNOWN',
      };
    });
  return [...lines.filter(isInTrouble), ...lines.filter((line) => !isInTrouble(line))];
}

export function isInTrouble({ health }: Pick<HostLine, 'health'>): boolean {
  return health !== 'HEALTHY' && health !== 'UNKNOWN';
}

function healthOf(status: FieldReader | undefined): HostHealth {
  if (status === undefined) return { health: 'UNKNOWN', reason: '' };
  const first = marks.find(([field]) => status.boolean(field));
  const health = first?.[1] || status.enumName('edsHealthStatus', 'UNKNOWN');
  return { health, reason: readHostReason(status) };
}

/** Returns what an envoy.admin.v3.HostHealthStatus states of the host apart from its EDS health; empty if nothing. */
export function readHostReason(status: FieldReader): string {
  const set = marks.filter(([field]) => status.boolean(field));
  return set.map(([, , reason]) => reason).join(' and ');
}

/**
 * The hosts of a cluster whose addresses DNS states, as Envoy lists them. Weights of localities are not listed: the model
 * has none.
 */
export function assignmentOfHosts({ hosts }: HostHealthModel): LoadAssignment {
  const priorities = new Map<number, Map<string, LocalityEndpoints>>();
  for (const [address, { priority, locality, hostname, weight, health, reason }] of hosts) {
    const localities = priorities.get(priority) ?? new Map<string, LocalityEndpoints>();
    priorities.set(priority, localities);
    const key = JSON.stringify(locality ?? null);
    const group = localities.get(key) ?? { ...noGroup, index: localities.size, locality };
    const endpoint: Endpoint = { address, additionalAddresses: [], hostname, health, seenAs: reason, weight };
    localities.set(key, { ...group, endpoints: [...group.endpoints, endpoint] });
  }
  return {
    ...noAssignment,
    lacksMetadata: true,
    priorities: [...priorities]
      .sort(by(([priority]) => priority))
      .map(([priority, localities]) => ({ priority, localities: [...localities.values()] })),
  };
}

const noGroup = { endpoints: [], ledsCollection: '' };

/** Endpoints with the health that Envoy reports, where it reports any. */
export function withHostHealth<T extends LoadAssignment>(
  model: T,
  hosts: ReadonlyMap<string, HostHealth>,
): T {
  return mapEndpoints(model, (endpoint) => {
    const host = hosts.get(endpoint.address);
    if (host === undefined) return endpoint;
    const { health, reason } = host;
    // UNKNOWN from Envoy does not override the health from EDS.
    const effective = health === 'UNKNOWN' ? endpoint.health : health;
    return { ...endpoint, health: effective, seenAs: reason, edsHealth: endpoint.health };
  });
}

/** Adds to the reason of endpoints that fail active health checks what these ask. `checks`: see readHealthChecks(). */
export function withHealthChecks<T extends LoadAssignment>(model: T, checks: readonly string[]): T {
  if (checks.length === 0) return model;
  const named = `${excludedByChecks} (${checks.join(', ')})`;
  return mapEndpoints(model, (endpoint) =>
    endpoint.seenAs?.includes(excludedByChecks)
      ? { ...endpoint, seenAs: endpoint.seenAs.replace(excludedByChecks, named) }
      : endpoint,
  );
}

function mapEndpoints<T extends LoadAssignment>(model: T, change: (endpoint: Endpoint) => Endpoint): T {
  const priorities = model.priorities.map((priority) => ({
    ...priority,
    localities: priority.localities.map((group) => ({ ...group, endpoints: group.endpoints.map(change) })),
  }));
  return { ...model, priorities };
}
