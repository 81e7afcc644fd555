import type { ResourceState } from '../observation/resource-state';
import type { ResourceModel } from './parse-resource';

export type RowWithBody = Pick<ResourceState, 'hash' | 'clientStatus'> & {
  readonly errorState: { readonly failedHash: string | null } | null;
};

/**
 * The body that represents a row in graphs and references: the body that the client runs; for a rejected resource
 * without one, the body of its `failed_configuration`. (grpc-js-xds puts the last GOOD config there and leaves
 * `xds_config` out.)
 */
export function shownBodyHash(row: RowWithBody): string | null {
  return row.hash ?? (row.clientStatus === 'NACKED' ? (row.errorState?.failedHash ?? null) : null);
}

/**
 * Models are keyed by hash and type, because a cluster and its endpoints can have equal bytes (if both have only a
 * name).
 */
export type ModelOf = (hash: string, typeUrl: string) => ResourceModel | undefined;
