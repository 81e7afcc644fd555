import type { readExtension } from '../model/extension';
import type { FilterConfig } from '../model/filter-config';
import type { HttpFilter } from '../model/listener';
import type { ResourceKey } from '../observation/resource-state';
import { type Denied, findDenied } from '../requests/filters/denied';
import { findAnswers } from '../requests/filters/may-answer';
import { isSupported } from '../validate/http-filters';
import { clientOf, type Profile } from '../xds/profile';
import { ECDS } from '../xds/resource-type';
import type { ResourceStore } from './resource-store';

export interface FilterUse extends Denied, FilterConfig {
  readonly name: string;
  readonly typeName: string;
  /** Empty if the filter is used. */
  readonly ignoredBecause: string;
  /** The requests that a filter of Envoy answers in place of a host, beside those that `denied` states; absent: none. */
  readonly answers?: string | undefined;
  /** Why it may write the metadata by which a subset of hosts is chosen; absent: it does not. */
  readonly lbMetadataDoubt?: string | undefined;
  /** The config that a filter of Envoy has in effect by ECDS. Absent: its config is in the listener, or is not known. */
  readonly discovered?: Discovered;
}

/** `default`: default_config of the filter. `none`: Envoy answers every request with 500. */
type Discovered = 'resource' | 'default' | 'none';

interface DiscoveredFilter extends HttpFilter {
  readonly discovered?: Discovered;
}

interface FilterContext {
  readonly store: ResourceStore;
  readonly profile: Profile;
  readonly side: 'client' | 'server';
  /** The destination port of each connection; undefined: several, or not known. */
  readonly port: number | undefined;
  readonly dependOn: (key: ResourceKey) => void;
}

/** What each HTTP filter of a connection manager does, with the config that is in effect of it. */
export function resolveHttpFilters(filters: readonly HttpFilter[], context: FilterContext): FilterUse[] {
  const { profile, side, port } = context;
  const isEnvoy = clientOf(profile) === 'envoy';
  return filters.map((filter) => {
    const { discovered, ...own }: DiscoveredFilter = isEnvoy ? discover(filter, context) : filter;
    return {
      ...{ name: filter.name, typeName: own.typeName },
      ignoredBecause: isEnvoy ? '' : whyIgnored(filter, side, profile),
      ...(own.lbMetadataDoubt && { lbMetadataDoubt: own.lbMetadataDoubt }),
      ...(own.config && { config: own.config }),
      ...(discovered && { discovered }),
      ...(isEnvoy && !filter.isDisabled && { answers: findAnswers(own) }),
      ...(discovered === 'none' && !filter.isDisabled
        ? { denied: 'answers every request with 500: no config of it is in effect (ECDS)', deniesAll: true }
        : findDenied(own.config, 'requests', profile, port)),
    };
  });
}

/**
 * Gives a filter the config of its ECDS resource. "If default_config is set, it is used until one is received", and where the
 * one that was received is rejected.
 */
function discover(filter: HttpFilter, { store, dependOn }: FilterContext): DiscoveredFilter {
  const { name, isDiscovered, isDisabled, byDefault } = filter;
  if (!isDiscovered) return filter;
  dependOn({ typeUrl: ECDS.typeUrl, name });
  const standing = store.standingOf(ECDS.typeUrl, name, 'extension', 'a filter');
  const of = (own: ReturnType<typeof readExtension>, discovered: Discovered) => {
    const { config, ...rest } = own;
    return { ...filter, ...rest, isDiscovered: false, discovered, ...(!isDisabled && config && { config }) };
  };
  if (standing.kind === 'data')
    return standing.used.doubt === undefined ? of(standing.model, 'resource') : filter;
  const isNone = standing.kind === 'error' || standing.missing.isAbsent === true;
  if (!isNone) return filter;
  return byDefault === undefined
    ? { ...filter, isDiscovered: false, discovered: 'none' }
    : of(byDefault, 'default');
}

function whyIgnored(
  { typeName, isOptional, isDiscovered }: HttpFilter,
  side: 'client' | 'server',
  profile: Profile,
): string {
  if (isDiscovered) return 'gRPC does not support discovery of filter configs (rule L8)';
  if (typeName === '' || isSupported(typeName, side, profile)) return '';
  return isOptional
    ? `not supported by a gRPC ${side}, and optional (rule L9)`
    : `not supported by a gRPC ${side}, and not optional: the listener is rejected (rule L9)`;
}
