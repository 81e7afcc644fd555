import type { Field } from '../field';

/** Maximum nesting depth of policies. Hostile input can nest deeper. */
const maxDepth = 100;

/** Policy configs of one list, in the order in which a client tries them. */
export function configsOf(policy: Field): Field[] {
  return policy
    .at('policies')
    .items()
    .map((item) => item.in('typedExtensionConfig', 'typedConfig'));
}

/** Every policy config of a load_balancing_policy, chosen or not, including nested ones. */
export function walkPolicies(policy: Field, depth = 0): Field[] {
  if (depth > maxDepth) return [];
  return configsOf(policy).flatMap((config) => [
    config,
    ...['endpointPickingPolicy', 'childPolicy', 'subsetLbPolicy', 'fallbackPolicy']
      .map((name) => config.at(name))
      .flatMap((inner) => walkPolicies(inner, depth + 1)),
  ]);
}
