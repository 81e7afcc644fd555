import type { JsonObject } from '../../diff/json-object';
import type { GrpcClient } from '../../xds/profile';

/** The form in which a client writes its policies. C-core, Go and Java agree; grpc-js-xds has its own form. */
export interface WriteStyle {
  /** Maps "priority" to "priority_experimental", for example. */
  policy(name: string): string;
  /** Maps "childPolicy" to "child_policy", for example. */
  field(name: string): string;
  /** `text` is a duration in proto3 JSON form, such as "30.500s". */
  duration(text: string): unknown;
}

/** Go and Java write durations as proto3 JSON does. */
const grpc: WriteStyle = {
  policy: (name) => grpcNames[name] ?? name,
  field: (name) => name,
  duration: (text) => text,
};

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

/** grpc-java registers these two without the prefix "xds_". */
const javaNames: Readonly<Record<string, string>> = {
  xds_cluster_impl: 'cluster_impl_experimental',
  xds_cluster_manager: 'cluster_manager_experimental',
  xds_wrr_locality: 'wrr_locality_experimental',
};

const styles: Readonly<Record<GrpcClient, WriteStyle>> = {
  core: { ...grpc, duration: writeNineDigits },
  go: grpc,
  java: { ...grpc, policy: (name) => javaNames[name] ?? grpc.policy(name) },
  node: { policy: (name) => name, field: writeSnakeCase, duration: writeMessage },
};

function writeSnakeCase(name: string): string {
  // The only field that its loader expects in camel case.
  if (name === 'shuffleAddressList') return name;
  return name.replace(/[A-Z]/g, (at) => `_${at.toLowerCase()}`);
}

/** Same result as C-core's Duration::ToJsonString(). */
function writeNineDigits(text: string): string {
  const { seconds, nanos } = readDuration(text);
  return `${seconds}.${String(nanos).padStart(9, '0')}s`;
}

function writeMessage(text: string): JsonObject {
  return { ...readDuration(text) };
}

function readDuration(text: string): { readonly seconds: number; readonly nanos: number } {
  const [seconds = '0', fraction = ''] = text.replace(/s$/, '').split('.');
  return { seconds: Number(seconds), nanos: Number(fraction.padEnd(9, '0').slice(0, 9)) };
}

export function styleOf(client: GrpcClient): WriteStyle {
  return styles[client];
}

/** One entry of a list of policies in the client's spelling. Undefined fields are left out. */
export function writePolicy(style: WriteStyle, name: string, fields: JsonObject): JsonObject {
  const reported = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    [style.policy(name)]: Object.fromEntries(reported.map(([field, value]) => [style.field(field), value])),
  };
}
