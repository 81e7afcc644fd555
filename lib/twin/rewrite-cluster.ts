import { isJsonObject, type JsonObject } from '../diff/json-object';
import { formatAddress } from '../model/address';
import { FieldReader } from '../model/field-reader';
import { acceptedNames } from './rewrite-tls';
import { adsSource, type Rewriting } from './rewriting';
import { loopback, type MutableJson } from './twin';

const aggregate = 'envoy.clusters.aggregate';

export function rewriteCluster(json: JsonObject, rewriting: Rewriting): MutableJson {
  const { loadAssignment, edsClusterConfig, clusterType, filters, ...rest } = json;
  const name = String(json.name ?? '');
  if (filters !== undefined) rewriting.note('filters', 'removed', 'the backends of the twin answer HTTP');
  const kept = rewriting.keep(rest, '') as MutableJson;
  const isAggregate = isJsonObject(clusterType) && clusterType.name === aggregate;
  const config = isJsonObject(edsClusterConfig) ? edsClusterConfig : {};
  const assignment = edsName(json) ?? name;
  addBackendNames(json, assignment, rewriting);
  if (isAggregate) return { ...kept, clusterType: rewriting.keep(clusterType, 'clusterType') };
  if (edsName(json) !== undefined) {
    if (!isJsonObject(config.edsConfig) || config.edsConfig.ads === undefined)
      rewriting.note('edsClusterConfig.edsConfig', 'replaced by ADS', 'the twin has one management server');
    return { ...kept, edsClusterConfig: { ...config, edsConfig: adsSource } };
  }
  // A gRPC client rejects STATIC clusters. The address that it resolves is that of an echo backend.
  if (rewriting.parts.options.client === 'grpc')
    return {
      ...kept,
      ...(clusterType !== undefined && { clusterType: rewriting.keep(clusterType, 'clusterType') }),
      ...(isJsonObject(loadAssignment) && {
        loadAssignment: rewriteAssignment(loadAssignment, name, rewriting, 'loadAssignment'),
      }),
    };
  const type = isJsonObject(clusterType) ? String(clusterType.name) : String(json.type ?? 'STATIC');
  if (type !== 'STATIC') {
    rewriting.note(
      clusterType === undefined ? 'type' : 'clusterType',
      `${type} replaced by STATIC`,
      'the twin resolves no name and connects to its own backends only',
    );
  }
  if (!isJsonObject(loadAssignment)) {
    if (type === 'STATIC') return kept;
    return { ...withOwnPolicy(kept, rewriting), type: 'STATIC', loadAssignment: oneBackend(name, rewriting) };
  }
  return {
    ...withOwnPolicy(kept, rewriting),
    type: 'STATIC',
    loadAssignment: rewriteAssignment(loadAssignment, name, rewriting, 'loadAssignment'),
  };
}

/** The name under which the cluster requests its endpoints; undefined if it does not use EDS. */
export function edsName({ type, clusterType, edsClusterConfig, name }: JsonObject): string | undefined {
  const isEds = type === 'EDS' || (clusterType === undefined && isJsonObject(edsClusterConfig));
  if (!isEds) return undefined;
  const service = isJsonObject(edsClusterConfig) ? edsClusterConfig.serviceName : undefined;
  return typeof service === 'string' && service !== '' ? service : String(name ?? '');
}

/** The policy that a cluster type provides goes with the type. */
function withOwnPolicy(cluster: MutableJson, rewriting: Rewriting): MutableJson {
  if (cluster.lbPolicy !== 'CLUSTER_PROVIDED') return cluster;
  rewriting.note(
    'lbPolicy',
    'CLUSTER_PROVIDED replaced by ROUND_ROBIN',
    'the twin replaces the cluster type',
  );
  const { loadBalancingPolicy: _, ...rest } = cluster;
  return { ...rest, lbPolicy: 'ROUND_ROBIN' };
}

function addBackendNames(cluster: JsonObject, assignment: string, { parts }: Rewriting): void {
  const matches = Array.isArray(cluster.transportSocketMatches) ? cluster.transportSocketMatches : [];
  const sockets = [
    cluster.transportSocket,
    ...matches.map((each) => (isJsonObject(each) ? each.transportSocket : undefined)),
  ];
  const names = sockets.flatMap(acceptedNames);
  if (names.length === 0) return;
  parts.backendNames.set(assignment, [...(parts.backendNames.get(assignment) ?? []), ...names]);
}

/** Replaces the endpoints; localities, priorities, weights, health and metadata stay. */
export function rewriteAssignment(
  { endpoints, namedEndpoints, ...rest }: JsonObject,
  cluster: string,
  rewriting: Rewriting,
  path: string,
): MutableJson {
  if (namedEndpoints !== undefined)
    rewriting.note(`${path}.namedEndpoints`, 'removed', 'the twin does not support named endpoints');
  const localities = Array.isArray(endpoints) ? endpoints.filter(isJsonObject) : [];
  return {
    ...(rewriting.keep(rest, path) as MutableJson),
    endpoints: localities.map((each, index) =>
      rewriteLocality(each, cluster, rewriting, [path, `endpoints[${index}]`].filter(Boolean).join('.')),
    ),
  };
}

function rewriteLocality(
  { lbEndpoints, ...locality }: JsonObject,
  cluster: string,
  rewriting: Rewriting,
  path: string,
): MutableJson {
  const { parts } = rewriting;
  for (const field of ['loadBalancerEndpoints', 'ledsClusterLocalityConfig'])
    rewriting.drop(locality as MutableJson, field, path, 'the twin does not support endpoints by LEDS');
  const place = formatLocality(locality.locality);
  const priority = Number(locality.priority ?? 0);
  const all = Array.isArray(lbEndpoints) ? lbEndpoints.filter(isJsonObject) : [];
  const kept: MutableJson[] = [];
  for (const { endpoint, endpointName, ...lbEndpoint } of all) {
    if (parts.backends.length >= parts.options.mostEndpoints || endpointName !== undefined) break;
    const address = formatAddress(FieldReader.open(endpoint, []).object('address'));
    const port = parts.options.nextPort();
    parts.backends.push({ port, cluster, priority, locality: place, address });
    const hostname = isJsonObject(endpoint) ? (endpoint.hostname ?? nameOf(address)) : undefined;
    const ownFields = rewriting.keep(lbEndpoint, path) as MutableJson;
    kept.push({
      ...(parts.hashing.has(cluster) ? withHashKey(ownFields, address) : ownFields),
      endpoint: {
        address: { socketAddress: { address: loopback, portValue: port } },
        ...(hostname !== undefined && { hostname }),
      },
    });
  }
  if (kept.length > 0)
    rewriting.note(
      `${path}.lbEndpoints`,
      `${formatEndpoints(kept.length)} replaced by echo backends on loopback`,
      'the twin never sends a request to the endpoints of the client',
    );
  if (kept.length > 0 && parts.hashing.has(cluster))
    rewriting.note(
      `${path}.lbEndpoints`,
      'hash_key of endpoints without one set to the address of the endpoint of the client',
      'the backends of the twin have other addresses, which would be hashed',
    );
  if (kept.length < all.length)
    rewriting.note(
      `${path}.lbEndpoints`,
      `${formatEndpoints(all.length - kept.length)} left out`,
      `a twin has at most ${parts.options.mostEndpoints} endpoints with an address`,
    );
  return { ...(rewriting.keep(locality, path) as MutableJson), lbEndpoints: kept };
}

/** "If hash_key is present in the metadata, it is hashed in place of the address." */
function withHashKey(lbEndpoint: MutableJson, address: string): MutableJson {
  const metadata = isJsonObject(lbEndpoint.metadata) ? lbEndpoint.metadata : {};
  const all = isJsonObject(metadata.filterMetadata) ? metadata.filterMetadata : {};
  const own = isJsonObject(all['envoy.lb']) ? all['envoy.lb'] : {};
  if (typeof own.hash_key === 'string' && own.hash_key !== '') return lbEndpoint;
  const filterMetadata = { ...all, 'envoy.lb': { ...own, hash_key: address } };
  return { ...lbEndpoint, metadata: { ...metadata, filterMetadata } };
}

function oneBackend(cluster: string, rewriting: Rewriting): MutableJson {
  const { options, backends } = rewriting.parts;
  const port = options.nextPort();
  backends.push({ port, cluster, priority: 0, locality: '', address: 'chosen by the request' });
  rewriting.note(
    'loadAssignment',
    'one echo backend added',
    'the cluster has no endpoints in its config: the request or a name decides',
  );
  const endpoint = { address: { socketAddress: { address: loopback, portValue: port } } };
  return { clusterName: cluster, endpoints: [{ lbEndpoints: [{ endpoint }] }] };
}

function formatEndpoints(count: number): string {
  return count === 1 ? '1 endpoint' : `${count} endpoints`;
}

function formatLocality(locality: unknown): string {
  if (!isJsonObject(locality)) return '';
  return [locality.region, locality.zone, locality.subZone]
    .map((part) => String(part ?? ''))
    .join('/')
    .replace(/\/+$/, '');
}

/** A DNS name is the host name of the endpoint, by which routes can rewrite the host. */
function nameOf(address: string): string | undefined {
  const host = address.replace(/:\d+$/, '');
  return /[a-z]/i.test(host) && !host.includes(':') && !host.includes('/') ? host : undefined;
}
