import type { ResourceState } from '../observation/observation';
import type { ResourceModel } from './parse-resource';

export type RowWithBody = Pick<ResourceState, 'hash' | 'clientStatus'> & {
  readonly errorState: { readonly failedHash: string | null } | null;
};

/**
 * The body that stands for a row in pictures and references: what the client runs; for a rejected resource without one,
 * what its `failed_configuration` holds. (grpc-js puts the last GOOD config there, and leaves `xds_config` out.)
 */
export function shownBodyHash(row: RowWithBody): string | null {
  return row.hash ?? (row.clientStatus === 'NACKED' ? (row.errorState?.failedHash ?? null) : null);
}

/** Equal bytes can be a cluster and its endpoints (both with nothing but a name): a model is named by both. */
export type ModelOf = (hash: string, typeUrl: string) => ResourceModel | undefined;
