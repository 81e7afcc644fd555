import type { FieldReader } from './field-reader';

export interface LbPolicy {
  /**
   * A name such as "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"; for a TypedStruct, the inner
   * type.
   */
  readonly typeName: string;
  /** True for a TypedStruct, which is a custom policy. */
  readonly isCustom: boolean;
  /** proto3 JSON of its config, including inner policies. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The list from which it chooses its child policy; absent if its type has none. */
  readonly inner?: readonly LbPolicy[] | undefined;
}

/** Fields that contain a nested LoadBalancingPolicy. */
const innerFields = ['endpointPickingPolicy', 'childPolicy', 'subsetLbPolicy', 'fallbackPolicy'];

/** Hostile input can nest deeper; gRFC A52 allows 16. */
const maxDepth = 20;

/** Reads an envoy.config.cluster.v3.LoadBalancingPolicy, in order of preference. */
export function readLbPolicies(policy: FieldReader, depth = 0): LbPolicy[] {
  if (depth > maxDepth) return [];
  return policy.objects('policies').map((item) => {
    const extension = item.object('typedExtensionConfig');
    const config = extension?.object('typedConfig');
    const outer = config?.messageName() ?? '';
    const isCustom = outer === 'xds.type.v3.TypedStruct' || outer === 'udpa.type.v1.TypedStruct';
    if (config === undefined) return { typeName: '', isCustom, config: {} };
    const url = isCustom ? config.string('typeUrl') : outer;
    const innerField = innerFields.find((field) => config.has(field));
    const inner = innerField === undefined ? undefined : config.object(innerField);
    return {
      typeName: url.slice(url.lastIndexOf('/') + 1),
      isCustom,
      config: isCustom ? (config.object('value')?.json ?? {}) : config.json,
      inner: inner && readLbPolicies(inner, depth + 1),
    };
  });
}
