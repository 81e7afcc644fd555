import type { JsonObject } from '../../diff/json-object';
import type { ClientKind } from '../client-kind';

/** How a client spells its policies: C-core, Go and Java alike, grpc-js-xds in a manner of its own. */
export interface WriteStyle {
  /** As in "priority" -> "priority_experimental". */
  policy(name: string): string;
  /** As in "childPolicy" -> "child_policy". */
  field(name: string): string;
}

const grpc: WriteStyle = { policy: (name) => grpcNames[name] ?? name, field: (name) => name };

const grpcNames: Readonly<Record<string, string>> = {
  cds: 'cds_experimental',
  xds_cluster_manager: 'xds_cluster_manager_experimental',
  priority: 'priority_experimental',
  outlier_detection: 'outlier_detection_experimental',
  xds_cluster_impl: 'xds_cluster_impl_experimental',
  xds_override_host: 'xds_override_host_experimental',
  xds_wrr_locality: 'xds_wrr_locality_experimental',
  weighted_target: 'weighted_target_experimental',
  ring_hash: 'ring_hash_experimental',
  least_request: 'least_request_experimental',
};

/** grpc-java's registry has these two without "xds_". */
const javaNames: Readonly<Record<string, string>> = {
  xds_cluster_impl: 'cluster_impl_experimental',
  xds_cluster_manager: 'cluster_manager_experimental',
  xds_wrr_locality: 'wrr_locality_experimental',
};

const styles: Readonly<Record<ClientKind, WriteStyle>> = {
  core: grpc,
  go: grpc,
  java: { ...grpc, policy: (name) => javaNames[name] ?? grpc.policy(name) },
  node: { policy: (name) => name, field: (name) => name.replace(/[A-Z]/g, (at) => `_${at.toLowerCase()}`) },
};

export function styleOf(kind: ClientKind): WriteStyle {
  return styles[kind];
}

/** One entry of a list of policies; fields that are undefined are left out. */
export function writePolicy(style: WriteStyle, name: string, fields: JsonObject): JsonObject {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    [style.policy(name)]: Object.fromEntries(told.map(([field, value]) => [style.field(field), value])),
  };
}
