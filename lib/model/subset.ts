import type { FieldReader } from './field-reader';

/** The namespace of the metadata by which subsets are made and chosen. */
export const lbNamespace = 'envoy.lb';

/** The values of `filter_metadata["envoy.lb"]`, by which subsets are made and chosen. */
export type LbMetadata = Readonly<Record<string, unknown>>;

/** What is used if no subset has the metadata of the request. `inherit`: the fallback policy of the cluster. */
export type SubsetFallback = 'NO_FALLBACK' | 'ANY_ENDPOINT' | 'DEFAULT_SUBSET';
type SelectorFallback = SubsetFallback | 'KEYS_SUBSET' | 'inherit';

export interface SubsetSelector {
  /** Ascending, each once. */
  readonly keys: readonly string[];
  readonly isSingleHost: boolean;
  readonly fallback: SelectorFallback;
  readonly fallbackKeys: readonly string[];
}

/** Cluster.lb_subset_config, or the load balancing policy Subset. */
export interface SubsetConfig {
  readonly fallback: SubsetFallback;
  readonly defaultSubset: LbMetadata;
  readonly selectors: readonly SubsetSelector[];
  /** locality_weight_aware: without it, the weights of localities do not count. */
  readonly isLocalityWeightAware: boolean;
  readonly scalesLocalityWeight: boolean;
  /** panic_mode_any: any host is used if the fallback finds none. */
  readonly usesAnyInPanic: boolean;
  /** list_as_any: a host is in the subset of each item of a list. */
  readonly isListAsAny: boolean;
  /** The settings that are not modelled. */
  readonly notModelled: readonly string[];
}

const fallbacks: readonly string[] = ['NO_FALLBACK', 'ANY_ENDPOINT', 'DEFAULT_SUBSET'];

/** null without selectors: Envoy then makes no subsets. */
export function readSubsetConfig(config: FieldReader): SubsetConfig | null {
  const selectors = config.objects('subsetSelectors').map((selector): SubsetSelector => {
    const fallback = selector.enumName('fallbackPolicy', 'NOT_DEFINED');
    return {
      keys: [...new Set(selector.strings('keys'))].sort(),
      isSingleHost: selector.boolean('singleHostPerSubset'),
      fallback: fallback === 'KEYS_SUBSET' || isFallback(fallback) ? fallback : 'inherit',
      fallbackKeys: selector.strings('fallbackKeysSubset'),
    };
  });
  if (selectors.length === 0) return null;
  const fallback = config.enumName('fallbackPolicy', 'NO_FALLBACK');
  return {
    fallback: isFallback(fallback) ? fallback : 'NO_FALLBACK',
    defaultSubset: config.object('defaultSubset')?.json ?? {},
    selectors,
    isLocalityWeightAware: config.boolean('localityWeightAware'),
    scalesLocalityWeight: config.boolean('scaleLocalityWeight'),
    usesAnyInPanic: config.boolean('panicModeAny'),
    isListAsAny: config.boolean('listAsAny'),
    notModelled: [
      ...(config.boolean('allowRedundantKeys') ? ['allow_redundant_keys'] : []),
      ...(config.enumName('metadataFallbackPolicy', 'METADATA_NO_FALLBACK') === 'FALLBACK_LIST'
        ? ['metadata_fallback_policy']
        : []),
    ],
  };
}

function isFallback(name: string): name is SubsetFallback {
  return fallbacks.includes(name);
}

/** Reads an envoy.config.core.v3.Metadata; undefined if it has no values of "envoy.lb". */
export function readLbMetadata(metadata: FieldReader | undefined): LbMetadata | undefined {
  return metadata?.object('filterMetadata')?.object(lbNamespace)?.json;
}

/** metadata_match of the route, with that of the weighted cluster over it; undefined: the request has no criteria. */
export function mergeCriteria(
  route: FieldReader | undefined,
  weighted?: FieldReader | undefined,
): LbMetadata | undefined {
  const [own, over] = [route, weighted].map((each) => readLbMetadata(each?.object('metadataMatch')));
  return own === undefined && over === undefined ? undefined : { ...own, ...over };
}

/** As in "version=1, stage=dev". */
export function formatLbMetadata(metadata: LbMetadata): string {
  const text = Object.entries(metadata)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text === '' ? 'without keys' : text;
}
