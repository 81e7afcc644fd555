import { createHash } from 'node:crypto';
import type { NodeInfo, Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { seededRandom } from '@/server/lab/random';
import type { Body, Emission } from '@/server/observe';
import { bodyOf as bodyOfBytes } from './recorder-emissions';
import { encodeMessage } from './xds-wire';

export interface DayOptions {
  readonly observations: number;
  readonly startAt: number;
  /** Each has 200 services; the first `largeClients` have `manyServices`. */
  readonly clients: number;
  readonly largeClients: number;
  readonly manyServices: number;
  readonly seed: number;
}

/** The bytes of the day's messages on the wire with state of the world: whole CDS responses, requests with all names. */
export interface RawBytes {
  wire: number;
  /** The size with the delta protocol: only changed resources, and ACKs without names. */
  delta: number;
}

interface DayClient {
  readonly clientId: string;
  readonly node: NodeInfo;
  readonly services: readonly number[];
  readonly sourceId: string;
  readonly isPolled: boolean;
  stream: number;
  nonce: number;
}

const dayMs = 86_400_000;
const rowsPerPart = 500;
const clusterBytes = 420;

const nameOf = (service: number) => `outbound|8080||service-${service}.shop.svc.cluster.local`;

/**
 * Batches of a day of a mesh, observed by taps and CSDS: opened streams, first responses, then pushes. A change of a
 * service is pushed to all clients that use it; one in a hundred is rejected and resolved, and some streams break.
 * The same seed yields the same day. MUTATES `raw`.
 */
export function* makeDay(options: DayOptions, raw: RawBytes): Generator<Emission[]> {
  const random = seededRandom(options.seed);
  const clients = Array.from({ length: options.clients }, (_, index) => clientOf(index, options, random));
  const usersOf = new Map<number, DayClient[]>();
  for (const client of clients) {
    for (const service of client.services) usersOf.set(service, [...(usersOf.get(service) ?? []), client]);
  }
  const stepMs = dayMs / options.observations;
  let made = 0;
  let batch: Emission[] = [];
  const now = () => Math.round(options.startAt + made * stepMs);
  const emit = (observation: Observation, bodies: readonly Body[] = []) => {
    batch.push({ observation, bodies });
    made += 1;
  };
  const day = { random, now, emit, raw };

  for (const client of clients) {
    openStream(client, day);
    yield batch;
    batch = [];
  }
  for (let version = 1; made < options.observations; version++) {
    const service = Math.floor(random() ** 2 * options.manyServices);
    const dice = random();
    const users = usersOf.get(service) ?? [];
    if (dice < 0.004) {
      const client = clients[Math.floor(random() * clients.length)];
      if (client) breakStream(client, day);
    } else if (dice < 0.04) {
      const client = clients[Math.floor(random() * clients.length)];
      if (client) reportLoad(client, day);
    } else {
      const isCluster = dice < 0.1;
      const body = bodyOf(service, version, isCluster ? CDS.typeUrl : EDS.typeUrl);
      // A push reaches 24 clients, not the whole fleet.
      for (const client of users.slice(0, 24)) push(client, { service, version, body, isCluster }, day);
    }
    if (batch.length < 500) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

interface Day {
  readonly random: () => number;
  readonly now: () => number;
  readonly emit: (observation: Observation, bodies?: readonly Body[]) => void;
  readonly raw: RawBytes;
}

function clientOf(index: number, options: DayOptions, random: () => number): DayClient {
  const isLarge = index < options.largeClients;
  const first = Math.floor(random() * options.manyServices);
  const services = isLarge
    ? Array.from({ length: options.manyServices }, (_, service) => service)
    : Array.from({ length: 200 }, (_, step) => (first + step * 37) % options.manyServices);
  const clientId = createHash('sha256').update(`client ${index}`).digest('hex').slice(0, 16);
  return {
    clientId,
    services,
    sourceId: `tap:127.0.0.1:${15_010 + (index % 3)}`,
    isPolled: index % 4 === 0,
    stream: 0,
    nonce: 0,
    node: {
      id: `sidecar~10.0.${index >> 8}.${index & 255}~shop-${index}.shop~shop.svc.cluster.local`,
      cluster: 'shop',
      locality: { region: 'eu-west-1', zone: 'eu-west-1a', subZone: '' },
      userAgentName: 'envoy',
      userAgentVersion: '1.30.1',
      clientFeatures: ['envoy.lb.does_not_support_overprovisioning'],
      metadata: { NAMESPACE: 'shop', ISTIO_VERSION: '1.22.0', LABELS: { app: `shop-${index}` } },
    },
  };
}

function baseOf(client: DayClient, day: Day) {
  const { clientId, sourceId } = client;
  return { at: day.now(), vantage: 'tap', sourceId, clientId } as const;
}

const streamOf = (client: DayClient) => `${client.sourceId}/${client.clientId}/${client.stream}`;

function emitOpened(client: DayClient, day: Day, more: { readonly cacheEmpty?: boolean } = {}): void {
  client.stream += 1;
  day.emit({
    ...{ ...baseOf(client, day), kind: 'stream-opened', streamId: streamOf(client) },
    server: 'istiod.istio-system:15010',
    method: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
    ...{ node: client.node, scope: '', ...more },
  });
}

function openStream(client: DayClient, day: Day): void {
  emitOpened(client, day, { cacheEmpty: client.stream === 0 });
  const streamId = streamOf(client);
  for (const { typeUrl } of [CDS, EDS, LDS, RDS]) {
    const hasNames = typeUrl === EDS.typeUrl;
    const resourceNames = hasNames ? client.services.slice(0, 50).map(nameOf) : [];
    day.emit({
      ...baseOf(client, day),
      kind: 'request-sent',
      streamId,
      typeUrl,
      resourceNames,
      versionInfo: '',
      responseNonce: '',
      changed: [],
      removed: [],
    });
    day.raw.wire += 400 + (hasNames ? client.services.length * 55 : 0);
    day.raw.delta += 400 + (hasNames ? client.services.length * 55 : 0);
    if (typeUrl !== CDS.typeUrl && typeUrl !== EDS.typeUrl) continue;
    const bodies = client.services.map((service) => bodyOf(service, 0, typeUrl));
    answer(client, { typeUrl, version: 0, services: client.services, bodies, rejected: '' }, day);
  }
}

interface Answer {
  readonly typeUrl: string;
  readonly version: number;
  readonly services: readonly number[];
  readonly bodies: readonly Body[];
  /** The error text, or "" if the response is accepted. */
  readonly rejected: string;
}

function answer(client: DayClient, { typeUrl, version, services, bodies, rejected }: Answer, day: Day): void {
  client.nonce += 1;
  const nonce = createHash('sha256')
    .update(`${client.clientId} ${client.nonce}`)
    .digest('base64url')
    .slice(0, 12);
  const versionInfo = `2026-11-21T08:00:00Z/${version}`;
  const streamId = streamOf(client);
  const size = bodies.reduce((sum, { bytes }) => sum + bytes.byteLength + 90, 120);
  const isCluster = typeUrl === CDS.typeUrl;
  const sizeBytes = isCluster ? client.services.length * clusterBytes : size;
  day.raw.wire += sizeBytes + 160 + (isCluster ? 0 : client.services.length * 55);
  day.raw.delta += size + 120;
  day.emit(
    {
      ...baseOf(client, day),
      kind: 'response-received',
      streamId,
      typeUrl,
      versionInfo,
      nonce,
      sizeBytes,
      resources: services.map((service, index) => ({
        name: nameOf(service),
        hash: bodies[index]?.hash ?? '',
        sizeBytes: bodies[index]?.bytes.byteLength ?? 0,
      })),
      unchangedResources: isCluster ? client.services.length - services.length : 0,
      tookMs: Math.round(day.random() * 40_000) / 1000,
      controlPlane: 'istiod-7c9f',
    },
    bodies,
  );
  const changed = services.map((service, index) =>
    rowOf({ typeUrl, service, versionInfo, body: bodies[index], rejected, at: day.now() }),
  );
  const tookMs = Math.round(day.random() * 90_000) / 1000;
  const parts = Math.ceil(changed.length / rowsPerPart);
  for (let part = 0; part < parts; part++) {
    const rest = {
      ...baseOf(client, day),
      streamId,
      typeUrl,
      nonce,
      changed: changed.slice(part * rowsPerPart, (part + 1) * rowsPerPart),
      removed: [],
      tookMs,
      ...(parts > 1 ? { part: { number: part + 1, of: parts } } : {}),
    };
    day.emit(
      rejected === ''
        ? { ...rest, kind: 'ack-sent', versionInfo }
        : {
            ...rest,
            kind: 'nack-sent',
            versionInfo: '',
            rejectedVersion: versionInfo,
            errorDetail: rejected,
          },
    );
  }
}

interface Push {
  readonly service: number;
  readonly version: number;
  readonly body: Body;
  readonly isCluster: boolean;
}

function push(client: DayClient, { service, version, body, isCluster }: Push, day: Day): void {
  const isRejected = day.random() < 0.01;
  const rejected = isRejected
    ? `Error adding/updating cluster(s) ${nameOf(service)}: ClusterLoadAssignment: weight must not be 0`
    : '';
  const typeUrl = isCluster ? CDS.typeUrl : EDS.typeUrl;
  answer(client, { typeUrl, version, services: [service], bodies: [body], rejected }, day);
  if (isRejected)
    answer(client, { typeUrl, version, services: [service], bodies: [body], rejected: '' }, day);
  if (!client.isPolled || day.random() > 0.3) return;
  const { clientId, node } = client;
  const versionInfo = `2026-11-21T08:00:00Z/${version}`;
  day.emit({
    kind: 'client-config-changed',
    at: day.now(),
    vantage: 'csds',
    sourceId: 'csds:127.0.0.1:15012',
    ...{ clientId, side: 'client', node, scope: '' },
    changed: [rowOf({ typeUrl, service, versionInfo, body, rejected: '', at: day.now() })],
    removed: [],
  });
}

function breakStream(client: DayClient, day: Day): void {
  day.emit({
    ...baseOf(client, day),
    kind: 'stream-closed',
    streamId: streamOf(client),
    code: 'UNAVAILABLE',
    details: 'upstream connect error or disconnect/reset before headers',
    hadResponse: true,
  });
  // The client lists its resources in the requests of the new stream; the responses contain nothing new.
  emitOpened(client, day);
}

function reportLoad(client: DayClient, day: Day): void {
  const services = Array.from(
    { length: 3 },
    () => client.services[Math.floor(day.random() * client.services.length)],
  );
  day.raw.wire += 900;
  day.raw.delta += 900;
  day.emit({
    ...baseOf(client, day),
    kind: 'load-reported',
    node: client.node,
    scope: '',
    streamId: `${streamOf(client)}/lrs`,
    clusters: services.map((service = 0) => ({
      clusterName: nameOf(service),
      clusterServiceName: '',
      intervalMs: 10_000,
      totalDropped: '0',
      dropped: [],
      localities: [
        {
          locality: { region: 'eu-west-1', zone: 'eu-west-1a', subZone: '' },
          priority: 0,
          successful: String(Math.floor(day.random() * 1000)),
          errors: String(Math.floor(day.random() * 3)),
          issued: null,
          inProgress: '2',
        },
      ],
    })),
  });
}

interface Row {
  readonly typeUrl: string;
  readonly service: number;
  readonly versionInfo: string;
  readonly body: Body | undefined;
  readonly rejected: string;
  readonly at: number;
}

function rowOf({ typeUrl, service, versionInfo, body, rejected, at }: Row): ResourceState {
  const isRejected = rejected !== '';
  return {
    typeUrl,
    name: nameOf(service),
    versionInfo: isRejected ? '' : versionInfo,
    clientStatus: isRejected ? 'NACKED' : 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: at,
    errorState: isRejected
      ? { details: rejected, versionInfo, lastUpdateAttempt: at, failedHash: body?.hash ?? null }
      : null,
    hash: isRejected ? null : (body?.hash ?? null),
    sizeBytes: isRejected ? null : (body?.bytes.byteLength ?? null),
    isStatic: false,
    changedAt: at,
  };
}

const bodies = new Map<string, Body>();

function bodyOf(service: number, version: number, typeUrl: string): Body {
  const key = `${typeUrl} ${service} ${version}`;
  const known = bodies.get(key);
  if (known) return known;
  const bytes = typeUrl === CDS.typeUrl ? clusterOf(service, version) : assignmentOf(service, version);
  const body = bodyOfBytes(bytes, typeUrl);
  // Every client receives the bodies of version 0; those of a push are used once.
  if (version === 0) bodies.set(key, body);
  return body;
}

function clusterOf(service: number, version: number): Uint8Array {
  return encodeMessage('envoy.config.cluster.v3.Cluster', {
    name: nameOf(service),
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: nameOf(service) },
    connectTimeout: { seconds: 10 },
    lbPolicy: 'LEAST_REQUEST',
    circuitBreakers: { thresholds: [{ maxRequests: { value: 4096 + version } }] },
  });
}

function assignmentOf(service: number, version: number): Uint8Array {
  const count = 2 + (service % 9);
  const zones = ['a', 'b'].map((zone, side) => ({
    locality: { region: 'eu-west-1', zone: `eu-west-1${zone}` },
    loadBalancingWeight: { value: 1 },
    lbEndpoints: Array.from({ length: count }, (_, host) => ({
      endpoint: {
        address: {
          socketAddress: {
            address: `10.${(service >> 8) & 255}.${service & 255}.${1 + ((host * 2 + side + version) % 250)}`,
            portValue: 8_080,
          },
        },
      },
      healthStatus: 'HEALTHY',
      loadBalancingWeight: { value: 1 },
      metadata: {
        filterMetadata: { istio: { fields: { workload: { stringValue: `service-${service};shop;v1` } } } },
      },
    })),
  }));
  return encodeMessage('envoy.config.endpoint.v3.ClusterLoadAssignment', {
    clusterName: nameOf(service),
    endpoints: zones,
  });
}
