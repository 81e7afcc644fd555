import type { Field } from '../field';

/** Policies inside each other that are looked at; more is a hostile input. */
const maxDepth = 100;

/** Configs of one list, in the order in which a client tries them. */
export function configsOf(policy: Field): Field[] {
  return policy
    .at('policies')
    .items()
    .map((item) => item.in('typedExtensionConfig', 'typedConfig'));
}

/** Every policy config in a load_balancing_policy, chosen or not, with those inside them. */
export function walkPolicies(policy: Field, depth = 0): Field[] {
  if (depth > maxDepth) return [];
  return configsOf(policy).flatMap((config) => [
    config,
    ...['endpointPickingPolicy', 'childPolicy', 'subsetLbPolicy', 'fallbackPolicy']
      .map((name) => config.at(name))
      .flatMap((inner) => walkPolicies(inner, depth + 1)),
  ]);
}
