import type { Field } from '../field';
import { nackBy, type Profile } from '../profile';
import type { Report } from '../rule';
import {
  leastRequest,
  registered,
  ringHash,
  roundRobin,
  supported,
  weighted,
  wrrLocality,
} from './known-policies';
import { configsOf } from './walk-policies';

const maxRingSize = 8_388_608;

/** Maximum nesting depth of policy lists. grpc-js-xds counts from the second list. */
const maxDepth: Readonly<Record<Profile, number>> = { core: 16, go: 16, java: 16, node: 17, envoy: 100 };

/**
 * `choice`: whether the client supports any of the policies. `config`: whether the config of the chosen policy is
 * valid.
 */
type Question = 'choice' | 'config';

function isUsable(config: Field, profile: Profile): boolean {
  if (profile === 'envoy') return /^envoy\./.test(config.typeName);
  return config.isTypedStruct
    ? registered[profile].has(config.typeName)
    : supported[profile].has(config.wholeTypeName);
}

/** gRFC A52: the client uses the first policy that it supports. That policy must be valid, and there must be one. */
export function checkLbPolicy(
  field: Field,
  profile: Profile,
  question: Question,
  report: Report,
  depth = 1,
): void {
  const reactions = nackBy(profile);
  if (depth > maxDepth[profile]) {
    if (question === 'choice')
      report({ field, expected: 'at most 16 nested policies', got: 'more', reactions });
    return;
  }
  const configs = configsOf(field);
  const chosen = configs.find((config) => isUsable(config, profile));
  if (chosen === undefined) {
    const got = configs.map((config) => config.typeName || 'nothing').join(', ') || 'an empty list';
    if (question === 'choice')
      report({ field: field.at('policies'), expected: 'a policy that the client supports', got, reactions });
    return;
  }
  if (chosen.unreadable !== undefined) {
    // Some clients ignore the fields of this message.
    const isRead = profile === 'envoy' || profile === 'java' || chosen.typeName !== roundRobin;
    if (question === 'config' && isRead)
      report({ field: chosen, expected: 'a readable policy', got: chosen.unreadable, reactions });
  } else if (chosen.typeName === wrrLocality && profile !== 'envoy')
    checkLbPolicy(chosen.at('endpointPickingPolicy'), profile, question, report, depth + 1);
  else if (question === 'config') checkConfig(chosen, profile, report);
}

function checkConfig(config: Field, profile: Profile, report: Report): void {
  if (config.isTypedStruct) return;
  if (config.typeName === ringHash) checkRingHash(config, profile, report);
  const penalty = config.at('errorUtilizationPenalty');
  if (config.typeName === weighted && penalty.numberOr(0) < 0 && profile !== 'envoy')
    report({ field: penalty, expected: 'a penalty >= 0', reactions: nackBy(profile) });
  const count = config.at('choiceCount');
  if (config.typeName === leastRequest && count.exists && count.numberOr(0) < 2 && profile === 'java')
    report({ field: count, expected: 'a choice of >= 2', reactions: nackBy(profile) });
}

function checkRingHash(config: Field, profile: Profile, report: Report): void {
  const reactions = nackBy(profile);
  const hash = config.at('hashFunction');
  const min = config.at('minimumRingSize');
  const max = config.at('maximumRingSize');
  // Envoy treats DEFAULT_HASH (0) like XX_HASH; gRPC clients do not.
  if (hash.text !== 'XX_HASH' && profile !== 'envoy')
    report({ field: hash, expected: 'XX_HASH', got: hash.exists ? hash.show() : 'DEFAULT_HASH', reactions });
  for (const field of [min, max]) {
    if (profile === 'node' && field.exists)
      report({
        field,
        expected: 'nothing: grpc-js-xds 1.14 decodes 64-bit numbers as strings and then rejects them',
        reactions,
      });
    else if (field.numberOr(0) > maxRingSize && profile !== 'envoy')
      report({ field, expected: `a ring size <= ${maxRingSize}`, reactions });
  }
  const minSize = min.numberOr(0) || 1024;
  const maxSize = max.numberOr(0) || maxRingSize;
  if (minSize > maxSize && profile !== 'node')
    report({ field: min, expected: 'a size <= maximumRingSize', got: String(minSize), reactions });
}
