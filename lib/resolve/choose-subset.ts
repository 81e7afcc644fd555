import {
  formatLbMetadata,
  type LbMetadata,
  type SubsetConfig,
  type SubsetFallback,
  type SubsetSelector,
} from '../model/subset';

interface SubsetChoice {
  /** The hosts that remain, by their metadata; undefined: none, so that the request fails. */
  readonly has: ((host: LbMetadata) => boolean) | undefined;
  /** single_host_per_subset: one of the hosts is used, whatever its health. */
  readonly isSingleHost: boolean;
  /** True if any host is used when no host of the subset can be. */
  readonly usesAnyInPanic: boolean;
  /** Why, as the part of a sentence. */
  readonly reason: string;
}

/**
 * "The load balancer finds the subset whose selector has exactly the keys of the metadata and whose hosts have its values"; without
 * one, the fallback policy of the selector with these keys, else that of the cluster. `criteria`: of the route.
 */
export function chooseSubset(
  config: SubsetConfig,
  criteria: LbMetadata | undefined,
  hosts: readonly LbMetadata[],
): SubsetChoice {
  const keys = Object.keys(criteria ?? {}).sort();
  if (criteria === undefined || keys.length === 0)
    return fallBack(
      config,
      config.fallback,
      'neither metadata_match of the route nor a filter names a subset',
      true,
    );
  const named = formatLbMetadata(criteria);
  const selector = config.selectors.find((each) => each.keys.join('\n') === keys.join('\n'));
  if (selector === undefined)
    return fallBack(config, config.fallback, `no subset selector has exactly the keys of ${named}`, true);
  const { isListAsAny } = config;
  const has = (host: LbMetadata): boolean => isMember(host, criteria, isListAsAny);
  if (hosts.some(has)) {
    const reason = `the subset ${named} (metadata_match)`;
    return { has, isSingleHost: selector.isSingleHost, usesAnyInPanic: false, reason };
  }
  const why = `no host has the metadata ${named}`;
  const { fallbackKeys } = selector;
  const fallback = isFallbackLost(config.selectors, selector) ? 'inherit' : selector.fallback;
  if (fallback === 'inherit') return fallBack(config, config.fallback, why, true);
  if (fallback !== 'KEYS_SUBSET') return fallBack(config, fallback, why, false);
  const fewer = Object.fromEntries(
    Object.entries(criteria).filter(([key]) => fallbackKeys.includes(key)),
  ) as LbMetadata;
  // Envoy rejects a selector whose fallback keys are not fewer.
  if (Object.keys(fewer).length >= keys.length) return none(`${why}, and the fallback has the same keys`);
  const next = chooseSubset(config, fewer, hosts);
  return { ...next, reason: `${why}; with the keys ${fallbackKeys.join(', ')} alone: ${next.reason}` };
}

/** Measured with Envoy 1.40.0: behind a selector whose keys, in order, begin with its own, the fallback of a selector does not count. */
function isFallbackLost(selectors: readonly SubsetSelector[], own: SubsetSelector): boolean {
  return selectors
    .slice(0, selectors.indexOf(own))
    .some(({ keys }) => keys.length > own.keys.length && own.keys.every((key, at) => keys[at] === key));
}

/** panic_mode_any belongs to the fallback policy of the cluster, and not to that of a selector. */
function fallBack(
  { defaultSubset, isListAsAny, usesAnyInPanic: usesAny }: SubsetConfig,
  fallback: SubsetFallback,
  why: string,
  isOfCluster: boolean,
): SubsetChoice {
  if (fallback === 'NO_FALLBACK') return none(`${why}, and the fallback policy is NO_FALLBACK`);
  const usesAnyInPanic = isOfCluster && usesAny;
  const base = { isSingleHost: false, usesAnyInPanic };
  if (fallback === 'ANY_ENDPOINT')
    return { ...base, has: () => true, reason: `${why}; the fallback policy is ANY_ENDPOINT` };
  return {
    ...base,
    has: (host) => isMember(host, defaultSubset, isListAsAny),
    reason: `${why}; the fallback policy is DEFAULT_SUBSET ${formatLbMetadata(defaultSubset)}`,
  };
}

function none(reason: string): SubsetChoice {
  return { has: undefined, isSingleHost: false, usesAnyInPanic: false, reason };
}

function isMember(host: LbMetadata, criteria: LbMetadata, isListAsAny: boolean): boolean {
  return Object.entries(criteria).every(([key, wanted]) => {
    if (!Object.hasOwn(host, key)) return false;
    const own = host[key];
    const values: readonly unknown[] = isListAsAny && Array.isArray(own) ? own : [own];
    return values.some((value) => isEqual(value, wanted));
  });
}

/** Equality of google.protobuf.Value in proto3 JSON. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    own.length === other.size && own.every(([key, value]) => other.has(key) && isEqual(value, other.get(key)))
  );
}
