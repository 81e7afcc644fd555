import { normaliseTypeUrl } from '../../xds/resource-type';
import type { State } from '../../xds/status';
import type { ResourceFilter } from './resource-filter';
import type { ResourcePage } from './schema';

interface TypeChip {
  readonly typeUrl: string;
  readonly label: string;
  readonly count: number;
  readonly selected: boolean;
}

interface StatusChip {
  readonly status: State;
  readonly count: number;
  readonly selected: boolean;
}

interface ResourceChips {
  /** The types in their fixed order. A chip counts the rows that match the other filters. */
  readonly types: readonly TypeChip[];
  /** Worst first. */
  readonly statuses: readonly StatusChip[];
}

export function buildResourceChips(
  { types, statuses }: Pick<ResourcePage, 'types' | 'statuses'>,
  filter: Pick<ResourceFilter, 'typeUrls' | 'statuses'>,
): ResourceChips {
  const chosen = new Set(filter.typeUrls.map(normaliseTypeUrl));
  return {
    types: types.map(({ typeUrl, service: label, count }) => {
      return { typeUrl, label, count, selected: chosen.has(typeUrl) };
    }),
    statuses: statuses.map((each) => ({ ...each, selected: filter.statuses.includes(each.status) })),
  };
}
