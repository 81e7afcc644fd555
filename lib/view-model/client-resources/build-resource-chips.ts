import type { ResourcePage } from '../../api/resource-pages';
import { normaliseTypeUrl } from '../../xds/resource-type';
import type { ClientStatus } from '../../xds/status';
import type { ResourceFilter } from './resource-question';

export interface TypeChip {
  readonly typeUrl: string;
  readonly label: string;
  readonly count: number;
  readonly selected: boolean;
}

export interface StatusChip {
  readonly status: ClientStatus;
  readonly count: number;
  readonly selected: boolean;
}

export interface ResourceChips {
  /** In the fixed order of types. A chip counts the rows that the other filters leave. */
  readonly types: readonly TypeChip[];
  /** Worst first. */
  readonly statuses: readonly StatusChip[];
}

/** The filters that can be set, from what the server counted. */
export function buildResourceChips(
  { types, statuses }: Pick<ResourcePage, 'types' | 'statuses'>,
  filter: Pick<ResourceFilter, 'typeUrls' | 'statuses'>,
): ResourceChips {
  const chosen = new Set(filter.typeUrls.map(normaliseTypeUrl));
  return {
    types: types.map(({ typeUrl, service, count }) => ({
      typeUrl,
      label: service,
      count,
      selected: chosen.has(typeUrl),
    })),
    statuses: statuses.map(({ status, count }) => ({
      status,
      count,
      selected: filter.statuses.includes(status),
    })),
  };
}
