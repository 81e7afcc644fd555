import type { Locality } from '../observation/observation';
import { CDS } from '../xds/resource-type';
import { readEmbeddedReferences } from './embedded-references';
import { readLocality } from './endpoints';
import type { FieldReader } from './field-reader';
import { type RuntimeValues, readRuntime } from './runtime';

/** envoy.config.bootstrap.v3.Bootstrap, which Envoy's admin interface reports. */
export interface BootstrapModel {
  readonly kind: 'bootstrap';
  /** The clusters of the management servers. */
  readonly managementClusters: readonly string[];
  /** cluster_manager.local_cluster_name, which turns zone aware routing on; empty if it is unset. */
  readonly localCluster: string;
  /** node.locality; absent if it is unset, or set on the command line. */
  readonly locality?: Locality;
  /** Absent if its layers are not all static, or if it has none: an operator can set values then. */
  readonly runtime?: RuntimeValues;
}

export const bootstrapTypeUrl = 'type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap';

export function readBootstrap(bootstrap: FieldReader): BootstrapModel {
  const references = readEmbeddedReferences(bootstrap.object('dynamicResources')?.json);
  const managementClusters = references.flatMap(({ typeUrl, name }) =>
    typeUrl === CDS.typeUrl ? [name] : [],
  );
  const localCluster = bootstrap.object('clusterManager')?.string('localClusterName') ?? '';
  const runtime = readRuntime(bootstrap.object('layeredRuntime'));
  const locality = bootstrap.object('node')?.object('locality');
  return {
    ...{ kind: 'bootstrap', managementClusters, localCluster },
    ...(locality !== undefined && { locality: readLocality(locality) }),
    ...(runtime !== undefined && { runtime }),
  };
}
