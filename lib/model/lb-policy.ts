import type { FieldReader } from './field-reader';

/** One entry of a LoadBalancingPolicy's list. */
export interface LbPolicy {
  /** As in "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"; of a TypedStruct, the type inside. */
  readonly typeName: string;
  /** A TypedStruct: a policy that its users wrote themselves. */
  readonly isCustom: boolean;
  /** proto3 JSON of its config, inner policies included. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The list that it chooses its own child from; null when its type has none. */
  readonly inner: readonly LbPolicy[] | null;
}

/** Fields that hold a LoadBalancingPolicy of their own. */
const innerFields = ['endpointPickingPolicy', 'childPolicy', 'subsetLbPolicy', 'fallbackPolicy'];

/** gRFC A52 stops at 16; a hostile body goes on. */
const maxDepth = 20;

/** `policy` is an envoy.config.cluster.v3.LoadBalancingPolicy. In order of preference. */
export function readLbPolicies(policy: FieldReader, depth = 0): LbPolicy[] {
  if (depth > maxDepth) return [];
  return policy.objects('policies').map((item) => {
    const extension = item.object('typedExtensionConfig');
    const config = extension?.object('typedConfig') ?? null;
    const outer = config?.messageName() ?? '';
    const isCustom = outer === 'xds.type.v3.TypedStruct' || outer === 'udpa.type.v1.TypedStruct';
    if (config === null) return { typeName: '', isCustom, config: {}, inner: null };
    const url = isCustom ? config.string('typeUrl') : outer;
    const innerField = innerFields.find((field) => config.has(field));
    const inner = innerField === undefined ? null : config.object(innerField);
    return {
      typeName: url.slice(url.lastIndexOf('/') + 1),
      isCustom,
      config: isCustom ? (config.object('value')?.json ?? {}) : config.json,
      inner: inner && readLbPolicies(inner, depth + 1),
    };
  });
}
