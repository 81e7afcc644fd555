import { messageNameOf } from '../xds/resource-type';
import { type ClusterBalancing, readClusterBalancing } from './cluster-balancing';
import { type ConfigSourceKind, readConfigSource } from './config-source';
import { type LoadAssignment, noAssignment, readLoadAssignment } from './endpoints';
import type { FieldReader } from './field-reader';
import { readSecretNames } from './transport-secrets';

export type ClusterDiscovery =
  /** `serviceName` is the name of the EDS resource: the cluster's name unless eds_cluster_config has another. */
  | { readonly kind: 'eds'; readonly serviceName: string; readonly from: ConfigSourceKind }
  | { readonly kind: 'static' | 'logical-dns' | 'strict-dns'; readonly assignment: LoadAssignment }
  | { readonly kind: 'original-dst' }
  /** gRFC A37: underlying clusters in the order in which they are tried. */
  | { readonly kind: 'aggregate'; readonly clusters: readonly string[] }
  /** An extension, or a type that this version does not support. */
  | { readonly kind: 'custom'; readonly name: string };

export interface ClusterModel {
  readonly kind: 'cluster';
  readonly discovery: ClusterDiscovery;
  /** load_balancing_policy in order of preference; else only lb_policy. */
  readonly lbPolicies: readonly string[];
  readonly balancing: ClusterBalancing;
  /** Names of SDS secrets. */
  readonly secrets: readonly string[];
  /** auto_san_validation: the certificate of a host must have the name that each request states. */
  readonly validatesNameOfRequest?: true;
}

const aggregate = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';

export function readCluster(cluster: FieldReader): ClusterModel {
  const matches = cluster.objects('transportSocketMatches');
  const options = httpOptionsOf(cluster)?.object('upstreamHttpProtocolOptions');
  const sockets = [
    cluster.object('transportSocket'),
    ...matches.map((match) => match.object('transportSocket')),
  ];
  return {
    kind: 'cluster',
    discovery: readDiscovery(cluster),
    lbPolicies: readPolicyNames(cluster),
    balancing: readClusterBalancing(cluster),
    secrets: [...new Set(sockets.flatMap(readSecretNames))],
    ...(options?.boolean('autoSanValidation') && {
      validatesNameOfRequest: true as const,
    }),
  };
}

export function httpOptionsOf(cluster: FieldReader): FieldReader | undefined {
  return cluster
    .object('typedExtensionProtocolOptions')
    ?.object('envoy.extensions.upstreams.http.v3.HttpProtocolOptions');
}

/** `type` and `cluster_type` share a oneof, and the default of `type` is 0: STATIC (rule C1). */
function readDiscovery(cluster: FieldReader): ClusterDiscovery {
  const custom = cluster.object('clusterType');
  if (custom !== undefined) {
    const config = custom.object('typedConfig');
    if (config?.messageName() === aggregate)
      return { kind: 'aggregate', clusters: config.strings('clusters') };
    return { kind: 'custom', name: custom.string('name') || config?.messageName() || 'unnamed' };
  }
  const type = cluster.enumName('type', 'STATIC');
  switch (type) {
    case 'EDS': {
      const eds = cluster.object('edsClusterConfig');
      const from = readConfigSource(eds?.object('edsConfig'));
      return { kind: 'eds', serviceName: eds?.string('serviceName') || cluster.string('name'), from };
    }
    case 'STATIC':
      return { kind: 'static', assignment: readInline(cluster) };
    case 'LOGICAL_DNS':
      return { kind: 'logical-dns', assignment: readInline(cluster) };
    case 'STRICT_DNS':
      return { kind: 'strict-dns', assignment: readInline(cluster) };
    case 'ORIGINAL_DST':
      return { kind: 'original-dst' };
    default:
      return { kind: 'custom', name: `type ${type}` };
  }
}

function readInline(cluster: FieldReader): LoadAssignment {
  const assignment = cluster.object('loadAssignment');
  return assignment === undefined ? noAssignment : readLoadAssignment(assignment);
}

function readPolicyNames(cluster: FieldReader): string[] {
  const policies = cluster.object('loadBalancingPolicy')?.objects('policies') ?? [];
  const names = policies.map((policy) => {
    const extension = policy.object('typedExtensionConfig');
    return (
      messageNameOf(extension?.string('name') ?? '') || extension?.object('typedConfig')?.messageName() || ''
    );
  });
  const reported = names.filter((name) => name !== '');
  return reported.length > 0 ? reported : [cluster.enumName('lbPolicy', 'ROUND_ROBIN')];
}
