import { CDS } from '../../xds/resource-type';
import type { ClientStatus } from '../../xds/status';

interface RejectedRow {
  readonly typeUrl: string;
  readonly clientStatus: ClientStatus;
  readonly errorState: {
    readonly details: string;
    readonly versionInfo: string;
    readonly statistic?: string | undefined;
  } | null;
}

/** The reported reason, or what the statistics of an Envoy show; empty if neither is reported. */
export function describeRejection({ typeUrl, clientStatus, errorState }: RejectedRow): string {
  if (errorState === null || errorState.details !== '') return errorState?.details ?? '';
  const { statistic, versionInfo } = errorState;
  if (statistic === undefined) return '';
  if (typeUrl === CDS.typeUrl && versionInfo !== '') {
    return `Envoy created the cluster and then rejected it (${statistic}). It stays among the clusters that warm, and never takes effect. The reason is not reported.`;
  }
  if (clientStatus === 'NACKED') {
    return `Envoy counted a rejection (${statistic}). Its admin interface does not report the reason.`;
  }
  return `Envoy counted a rejection (${statistic}). Whether this resource is invalid, or another one of its type, is not reported.`;
}
