import type { Field } from './field';
import { nackBy, type Profile } from './profile';
import type { Breach } from './rule';

const policy = (name: string): string => `envoy.extensions.load_balancing_policies.${name}`;
const roundRobin = policy('round_robin.v3.RoundRobin');
const wrrLocality = policy('wrr_locality.v3.WrrLocality');
const ringHash = policy('ring_hash.v3.RingHash');
const pickFirst = policy('pick_first.v3.PickFirst');
const weighted = policy('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin');
const leastRequest = policy('least_request.v3.LeastRequest');
const maxDepth = 16;

/** Policies on by default. A TypedStruct names a custom one, which no client of ours has registered. */
const supported: Readonly<Record<Profile, ReadonlySet<string>>> = {
  core: new Set(),
  go: new Set([roundRobin, wrrLocality, ringHash, pickFirst, weighted]),
  java: new Set([roundRobin, wrrLocality, ringHash, pickFirst, weighted, leastRequest]),
  node: new Set([roundRobin, wrrLocality]),
};

/** gRFC A52: the first policy that the client supports is the one; it must be good, and there must be one. */
export function checkLbPolicy(
  field: Field,
  profile: Profile,
  report: (breach: Breach) => void,
  depth = 0,
): void {
  const reactions = nackBy(profile);
  if (depth > maxDepth) {
    report({ field, expected: `at most ${maxDepth} policies inside each other`, got: 'more', reactions });
    return;
  }
  const configs = field
    .at('policies')
    .items()
    .map((item) => item.in('typedExtensionConfig', 'typedConfig'));
  const chosen = configs.find((config) => !config.isTypedStruct && supported[profile].has(config.typeName));
  if (chosen === undefined) {
    const got = configs.map((config) => config.typeName || 'nothing').join(', ') || 'an empty list';
    report({ field: field.at('policies'), expected: 'a supported policy', got, reactions });
    return;
  }
  if (chosen.unreadable !== undefined)
    report({ field: chosen, expected: 'a readable policy', got: chosen.unreadable, reactions });
  else if (chosen.typeName === wrrLocality)
    checkLbPolicy(chosen.at('endpointPickingPolicy'), profile, report, depth + 1);
  else if (chosen.typeName === ringHash && profile === 'go' && chosen.at('hashFunction').text !== 'XX_HASH')
    report({ field: chosen.at('hashFunction'), expected: 'XX_HASH', reactions });
  if (
    chosen.typeName === ringHash &&
    chosen.at('minimumRingSize').numberOr(1024) > chosen.at('maximumRingSize').numberOr(8_388_608)
  )
    report({ field: chosen.at('minimumRingSize'), expected: 'a size <= maximumRingSize', reactions });
  if (chosen.typeName === weighted && chosen.at('errorUtilizationPenalty').numberOr(0) < 0)
    report({ field: chosen.at('errorUtilizationPenalty'), expected: 'a penalty >= 0', reactions });
}
