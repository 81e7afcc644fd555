import { bootstrapTypeUrl } from '../../model/bootstrap';
import { isServerListener } from '../../xds/client-scope';
import { CDS, LDS } from '../../xds/resource-type';
import type { State } from '../../xds/status';
import type { ReportedResources } from '../graph/reported-resources';
import { type ConfigEndpoint, listConfigEndpoints } from './list-config-endpoints';

/** A listener of a client's config that is not an API listener. */
export interface ConfigListener {
  readonly name: string;
  /** Empty if the client has no config of the listener. */
  readonly address: string;
  readonly state: State | undefined;
}

export interface ConnectedConfig {
  readonly endpoints: readonly ConfigEndpoint[];
  readonly listeners: readonly ConfigListener[];
  /** Names of Envoy's clusters of management servers. */
  readonly managementClusters: readonly string[];
  /** True if outlier detection of a cluster can eject endpoints in gRPC (gRFC A50). */
  readonly hasOutlierDetection: boolean;
}

export function readConnectedConfig(resources: ReportedResources): ConnectedConfig {
  return {
    endpoints: listConfigEndpoints(resources),
    listeners: resources.ofType(LDS.typeUrl).flatMap(({ row, model }): ConfigListener[] => {
      const listener = { name: row.name, state: row.state ?? undefined };
      if (model?.kind === 'listener')
        return model.apiListener === null ? [{ ...listener, address: model.address }] : [];
      return isServerListener(row.name) ? [{ ...listener, address: '' }] : [];
    }),
    managementClusters: resources
      .ofType(bootstrapTypeUrl)
      .flatMap(({ model }) => (model?.kind === 'bootstrap' ? model.managementClusters : [])),
    hasOutlierDetection: resources.ofType(CDS.typeUrl).some(({ model }) => {
      const detection = model?.kind === 'cluster' ? model.balancing.outlierDetection : null;
      return detection !== null && (detection.successRate ?? detection.failurePercentage) !== null;
    }),
  };
}
