import { messageOf } from '@/lib/format/message-of';
import type { NodeInfo } from '@/lib/observation/observation';
import type { Nonces } from '@/lib/observation/resource-state';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { ReportedClients, ReportedResource } from '../../codec/codec';
import { CodecError } from '../../codec/codec-error';
import { decodeClientStatus } from '../../codec/decode-client-status';
import { ProtobufPlanner } from '../../codec/dump-parser/plan-protobuf';
import { readReport } from '../../codec/dump-parser/read-report';
import type { ReportProblem } from '../../codec/dump-parser/report-plan';
import { isJsonObject } from '../../codec/json/json-object';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { type AnyMessage, bytesOf } from '../../codec/resource-message';
import { messageType } from '../../codec/root';
import { encodeVarint } from '../../codec/wire-cursor';
import type { Body } from '../../observe';

interface SyncStatus extends ReportedClients {
  /** The istiod that answered, as in "istiod istiod-7d9c, 1.27.1". Empty if it is not reported. */
  readonly instance: string;
}

/** A whole-type row for each type of each proxy: istiod reports the sync status by type. Throws a CodecError. */
export function readSyncStatus(bytes: Uint8Array, marker: RedactionMarker): SyncStatus {
  const { resources, controlPlane } = decodeAnswer(bytes);
  const configs = resources.map((any) => {
    if (!/\.ClientConfig$/.test(any.type_url ?? '')) {
      throw new CodecError(`expected a ClientConfig for each proxy, got "${shown(any.type_url ?? '')}"`);
    }
    return bytesOf(any);
  });
  const answer = Buffer.concat(
    configs.flatMap((config) => [Uint8Array.of(configTag), encodeVarint(config.length), config]),
  );
  return { ...decodeClientStatus(answer, marker), instance: nameInstance(controlPlane) };
}

/** ClientStatusResponse.config: field 1, with a length. */
const configTag = 0x0a;

/** All connections of an istiod, those of clients that are not proxies included. */
export interface Connections {
  /** NAME.NAMESPACE of each. */
  readonly names: readonly string[];
  /** Returns the nonces by type URL; none for a proxy that is listed twice. */
  noncesOf(node: NodeInfo): ReadonlyMap<string, Nonces>;
}

/** Reads the page syncz. Throws a CodecError. */
export function readConnections(bytes: Uint8Array): Connections {
  const list = readPage(bytes);
  if (!Array.isArray(list)) throw new CodecError('expected a list of proxies as JSON, got something else');
  const names: string[] = [];
  const byProxy = new Map<string, ReadonlyMap<string, Nonces>>();
  for (const item of list) {
    if (!isJsonObject(item) || typeof item.proxy !== 'string') continue;
    names.push(item.proxy);
    // A probe can have the name of a proxy, and has no cluster. Older istiods report the cluster of no client.
    const key = proxyKey(item.proxy, item.cluster_id);
    byProxy.set(key, byProxy.has(key) ? new Map() : noncesOf(item));
  }
  return {
    names,
    noncesOf: ({ id, metadata: { CLUSTER_ID: cluster } }) =>
      byProxy.get(proxyKey(id, cluster)) ?? byProxy.get(proxyKey(id, '')) ?? new Map(),
  };
}

function proxyKey(name: string, cluster: unknown): string {
  return `${name}\u0000${textOf(cluster)}`;
}

/** Reads the page connections. Throws a CodecError. */
export function readConnectionIds(bytes: Uint8Array): string[] {
  const page = readPage(bytes);
  if (!isJsonObject(page)) throw new CodecError('expected connections as JSON, got something else');
  return clientsOf(page).map(({ connectionId }) => textOf(connectionId));
}

/** Reads the page adsz of one connection. undefined: it has no cluster, or has ended. Throws a CodecError. */
export function readCluster(bytes: Uint8Array): string | undefined {
  const metadata = clientsOf(readPage(bytes))[0]?.metadata;
  const cluster = isJsonObject(metadata) ? textOf(metadata.CLUSTER_ID) : '';
  return cluster === '' ? undefined : cluster;
}

function clientsOf(page: unknown): Readonly<Record<string, unknown>>[] {
  return isJsonObject(page) && Array.isArray(page.clients) ? page.clients.filter(isJsonObject) : [];
}

function readPage(bytes: Uint8Array): unknown {
  const [any] = decodeAnswer(bytes).resources;
  return any === undefined ? undefined : parse(Buffer.from(bytesOf(any)).toString('utf8'));
}

interface ReadConfig {
  readonly rows: readonly ReportedResource[];
  readonly bodies: ReadonlyMap<string, Body>;
  readonly problems: readonly ReportProblem[];
}

/** undefined if istiod has no config of this proxy. Throws a CodecError. */
export function readConfig(bytes: Uint8Array, marker: RedactionMarker): ReadConfig | undefined {
  const { resources } = decodeAnswer(bytes);
  if (resources.length === 0) return undefined;
  const planner = new ProtobufPlanner();
  planner.configDump(messageType('envoy.admin.v3.ConfigDump').encode({ configs: resources }).finish(), '');
  const rows = new Map<string, ReportedResource>();
  const bodies = new Map<string, Body>();
  const problems = [...planner.problems];
  for (const report of planner.reports) {
    for (const batch of readReport(report, marker)) {
      // The dump is what istiod would send; the sync status reports by type whether it did.
      for (const row of batch.rows) {
        rows.set(`${row.typeUrl}\u0000${row.name}`, {
          ...row,
          clientStatus: 'UNKNOWN',
          configStatus: 'UNKNOWN',
        });
      }
      for (const body of batch.bodies) bodies.set(body.hash, body);
      problems.push(...batch.problems);
    }
  }
  return { rows: [...rows.values()], bodies, problems };
}

interface Answer {
  readonly resources: readonly AnyMessage[];
  readonly controlPlane: string;
}

function decodeAnswer(bytes: Uint8Array): Answer {
  const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
  try {
    const {
      resources,
      controlPlane,
    }: { resources?: AnyMessage[]; controlPlane?: { identifier?: string } | null } = type.decode(
      bytes,
    ) as object;
    return { resources: resources ?? [], controlPlane: controlPlane?.identifier ?? '' };
  } catch (cause) {
    throw new CodecError(
      `expected a DiscoveryResponse, got ${bytes.length} bytes that are none: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

/** Older istiods have a member for each type, newer ones one for all. */
const typesOfMembers: Readonly<Record<string, string>> = {
  cluster: 'envoy.config.cluster.v3.Cluster',
  listener: 'envoy.config.listener.v3.Listener',
  route: 'envoy.config.route.v3.RouteConfiguration',
  endpoint: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  extensionconfig: 'envoy.config.core.v3.TypedExtensionConfig',
};

function noncesOf(proxy: Readonly<Record<string, unknown>>): ReadonlyMap<string, Nonces> {
  const found = new Map<string, Nonces>();
  for (const [member, type] of Object.entries(typesOfMembers)) {
    const nonces = { sent: textOf(proxy[`${member}_sent`]), acked: textOf(proxy[`${member}_acked`]) };
    if (nonces.sent !== '' || nonces.acked !== '') found.set(normaliseTypeUrl(type), nonces);
  }
  const { resources } = proxy;
  for (const [typeUrl, reported] of isJsonObject(resources) ? Object.entries(resources) : []) {
    if (!isJsonObject(reported)) continue;
    found.set(normaliseTypeUrl(typeUrl), { sent: textOf(reported.sent), acked: textOf(reported.acked) });
  }
  return found;
}

/** `identifier` is JSON with the component, its pod and its build. */
function nameInstance(identifier: string): string {
  const reported = parse(identifier);
  if (!isJsonObject(reported)) return '';
  const { Component: component, ID: id, Info: info } = reported;
  const version = isJsonObject(info) ? textOf(info.version) : '';
  const name = [textOf(component), textOf(id)].filter((part) => part !== '').join(' ');
  return shown(version === '' ? name : `${name}, ${version}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The callers report what they expected.
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
