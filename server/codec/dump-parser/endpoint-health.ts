import { EDS } from '@/lib/xds/resource-type';
import type { Body } from '../../observe';
import { camelCase } from '../json/camel-case';
import { isJsonObject, type JsonObject } from '../json/json-object';
import type { RedactionMarker } from '../redaction-marker';
import { bytesOf, type ReportedResource, type ResourceMessage } from '../resource-message';
import { peekResourceName } from '../resource-name';
import { messageType } from '../root';
import { sanitizeBody } from '../sanitize-body';

/**
 * The health that EDS set, by cluster and address, of hosts with another effective health or another than HEALTHY. The dump
 * has the effective health only.
 */
export type EndpointHealth = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Numbers of envoy.config.core.v3.HealthStatus by name. */
const numbers = new Map(
  ['UNKNOWN', 'HEALTHY', 'UNHEALTHY', 'DRAINING', 'TIMEOUT', 'DEGRADED'].map((name, number) => [
    name,
    number,
  ]),
);
const mostHosts = 100_000;

/** Reads `cluster_statuses` of /clusters. */
export function findEndpointHealth(statuses: unknown): {
  readonly health: EndpointHealth;
  readonly problems: readonly { readonly place: string; readonly reason: string }[];
} {
  const health = new Map<string, Map<string, number>>();
  let hosts = 0;
  for (const status of listOf(statuses)) {
    const fields = fieldsOf(status);
    const name = fields.get('edsServiceName') || fields.get('name');
    for (const host of listOf(fields.get('hostStatuses'))) {
      const reported = fieldsOf(fieldsOf(host).get('healthStatus'));
      const number = numbers.get(String(reported.get('edsHealthStatus')));
      const isUsual = number === 1 && [...reported.values()].every((value) => value === 'HEALTHY' || !value);
      const address = addressOf(fieldsOf(host).get('address'));
      if (number === undefined || isUsual || address === '' || typeof name !== 'string') continue;
      hosts += 1;
      if (hosts > mostHosts) continue;
      const known = health.get(name) ?? new Map<string, number>();
      health.set(name, known.set(address, number));
    }
  }
  if (hosts <= mostHosts) return { health, problems: [] };
  const reason = `expected at most ${mostHosts} hosts whose health is not HEALTHY, got ${hosts}; the others have their effective health`;
  return { health, problems: [{ place: 'cluster_statuses', reason }] };
}

export function isSameHealth(a: EndpointHealth, b: EndpointHealth): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([cluster, hosts]) => {
    const others = b.get(cluster);
    return (
      others?.size === hosts.size && [...hosts].every(([address, number]) => others.get(address) === number)
    );
  });
}

/** The rows of a dump with the health that EDS set. MUTATES `bodies`. */
export function applyEndpointHealth(
  rows: readonly ReportedResource[],
  bodies: Map<string, Body>,
  health: EndpointHealth,
  marker: RedactionMarker,
): readonly ReportedResource[] {
  if (health.size === 0) return rows;
  return rows.map((row) => {
    const hosts = row.typeUrl === EDS.typeUrl ? health.get(row.name) : undefined;
    const body = hosts && bodies.get(row.hash ?? '');
    if (hosts === undefined || body === undefined) return row;
    const { body: changed } = sanitizeBody(EDS.typeUrl, withHealth(body.bytes, hosts), marker);
    bodies.set(changed.hash, changed);
    return { ...row, hash: changed.hash, sizeBytes: changed.bytes.length };
  });
}

/** The health of EDS by the clusters that were read so far. MUTABLE. */
export class EndpointHealthIndex {
  readonly #health = new Map<string, ReadonlyMap<string, number>>();

  add(health: EndpointHealth): void {
    for (const [cluster, hosts] of health) this.#health.set(cluster, hosts);
  }

  /** Returns the endpoints of a dump with the health that EDS set, and any other message as it is. */
  apply(message: ResourceMessage): ResourceMessage {
    const { xdsConfig } = message;
    if (this.#health.size === 0 || message.typeUrl !== EDS.typeUrl || !xdsConfig) return message;
    const bytes = bytesOf(xdsConfig);
    const hosts = this.#health.get(message.name || (peekResourceName(EDS.typeUrl, bytes) ?? ''));
    if (hosts === undefined) return message;
    return { ...message, xdsConfig: { ...xdsConfig, value: withHealth(bytes, hosts) } };
  }
}

/** LocalityLbEndpoints as protobufjs decodes it. */
interface Endpoints {
  readonly lbEndpoints?: {
    readonly endpoint?: { readonly address?: unknown } | null;
    healthStatus?: number;
  }[];
}

function withHealth(bytes: Uint8Array, hosts: ReadonlyMap<string, number>): Uint8Array {
  const type = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');
  const message = type.decode(bytes);
  const endpoints: readonly Endpoints[] = Reflect.get(message, 'endpoints') ?? [];
  for (const { lbEndpoints = [] } of endpoints) {
    for (const each of lbEndpoints) {
      const number = hosts.get(addressOf(each.endpoint?.address));
      if (number !== undefined) each.healthStatus = number;
    }
  }
  return type.encode(message).finish();
}

/** An envoy.config.core.v3.Address as JSON or as a message; '' if it is of an unknown kind. */
function addressOf(address: unknown): string {
  const fields = fieldsOf(address);
  const socket = fieldsOf(fields.get('socketAddress'));
  if (socket.size > 0)
    return `${socket.get('address')}:${socket.get('portValue') ?? socket.get('namedPort')}`;
  const pipe = fieldsOf(fields.get('pipe')).get('path');
  if (typeof pipe === 'string') return pipe;
  const internal = fieldsOf(fields.get('envoyInternalAddress'));
  if (internal.size === 0) return '';
  return `${internal.get('serverListenerName')}/${internal.get('endpointId') ?? ''}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The own fields of an object by their names in camelCase. */
function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  if (!isJsonObject(value)) return new Map();
  const object: JsonObject = value;
  return new Map(Object.keys(object).map((key) => [camelCase(key), object[key]]));
}
