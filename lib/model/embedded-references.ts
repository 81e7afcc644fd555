import { CDS, ECDS, SDS } from '../xds/resource-type';
import { type ConfigSourceKind, configSourceOf } from './config-source';

export interface EmbeddedReference {
  readonly typeUrl: string;
  readonly name: string;
  /** `service`: a cluster that a filter, an access log or a tracer calls. */
  readonly how: 'service' | 'tls' | 'ecds';
  readonly from?: ConfigSourceKind | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const none: readonly EmbeddedReference[] = [];

/** The codec decodes at most 100 levels. */
const maxDepth = 100;

/**
 * Fields without references: arbitrary content, and the node of a bootstrap, whose `cluster` is a group of proxies
 * (envoy.config.core.v3.Node).
 */
const opaque: ReadonlySet<string> = new Set(['metadata', 'filterMetadata', 'node', 'xdscope.opaque']);

/**
 * All embedded references in the order of the resource, without repetitions. They are recognised by field names, not
 * by the type of the extension, so that unknown extensions are covered: `envoy_grpc.cluster_name` (access logs,
 * ext_authz, rate limits, tracers), `cluster` (HttpUri and proxies), `collector_cluster` (tracers),
 * `local_cluster_name` (bootstrap), `{name, sds_config}`, `{name, config_discovery}`.
 */
export function readEmbeddedReferences(json: unknown): readonly EmbeddedReference[] {
  const found = new Map<string, EmbeddedReference>();
  walk(json, 0, (reference) => {
    const key = `${reference.typeUrl}\u0000${reference.name}`;
    if (reference.name !== '' && !found.has(key)) found.set(key, reference);
  });
  return found.size === 0 ? none : [...found.values()];
}

function walk(json: unknown, depth: number, report: (reference: EmbeddedReference) => void): void {
  if (typeof json !== 'object' || json === null || depth > maxDepth) return;
  if (Array.isArray(json)) {
    for (const item of json) walk(item, depth + 1, report);
    return;
  }
  const fields = json as Json;
  readHere(fields, report);
  for (const key of Object.keys(fields)) {
    if (!opaque.has(key)) walk(fields[key], depth + 1, report);
  }
}

function readHere(fields: Json, report: (reference: EmbeddedReference) => void): void {
  const cluster = (name: unknown): void => {
    if (typeof name === 'string') report({ typeUrl: CDS.typeUrl, name, how: 'service' });
  };
  cluster(fields.cluster);
  cluster(fields.collectorCluster);
  cluster(fields.localClusterName);
  const grpc = fields.envoyGrpc;
  if (typeof grpc === 'object' && grpc !== null) cluster(Reflect.get(grpc, 'clusterName'));
  const { name, sdsConfig, configDiscovery } = fields;
  if (typeof name !== 'string') return;
  if (sdsConfig !== undefined) {
    report({ typeUrl: SDS.typeUrl, name, how: 'tls', from: configSourceOf(sdsConfig) });
  }
  if (typeof configDiscovery === 'object' && configDiscovery !== null) {
    const from = configSourceOf(Reflect.get(configDiscovery, 'configSource'));
    report({ typeUrl: ECDS.typeUrl, name, how: 'ecds', from });
  }
}
