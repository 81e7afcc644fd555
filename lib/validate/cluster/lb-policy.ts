import { type Client, clientOf, type Profile } from '../../xds/profile';
import type { Field } from '../field';
import { typeSeenBy } from '../http-filters';
import { nackBy, type Reactions } from '../reactions';
import type { Report } from '../rule';
import {
  isSupportedPolicy,
  leastRequest,
  maglev,
  registered,
  ringHash,
  roundRobin,
  weighted,
  wrrLocality,
} from './known-policies';
import { configsOf } from './walk-policies';

const maxRingSize = 8_388_608;

/** Maximum nesting depth of policy lists. Two clients count from the second list. */
const maxDepth: Readonly<Record<Client, number>> = { core: 16, go: 16, java: 17, node: 17, envoy: 100 };

/**
 * `choice`: whether the client supports any of the policies. `config`: whether the config of the chosen policy is
 * valid.
 */
type Question = 'choice' | 'config';

function isUsable(config: Field, profile: Profile): boolean {
  const client = clientOf(profile);
  if (client !== 'envoy' && config.isTypedStruct) return registered[client].has(config.typeName);
  return isSupportedPolicy(client === 'java' ? config.typeName : typeSeenBy(profile, config), profile);
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
  const client = clientOf(profile);
  if (depth > maxDepth[client]) {
    if (question === 'choice')
      report({ field, expected: 'at most 16 nested policies', got: 'more', reactions });
    return;
  }
  const configs = configsOf(field);
  const chosen = configs.find((config) => isUsable(config, profile));
  if (client === 'core' && question === 'config') checkUntyped(configs, chosen, reactions, report);
  if (chosen === undefined) {
    const got = configs.map((config) => config.typeName || 'nothing').join(', ') || 'an empty list';
    if (question === 'choice')
      report({ field: field.at('policies'), expected: 'a policy that the client supports', got, reactions });
    return;
  }
  if (chosen.unreadable !== undefined) {
    // Some clients ignore the fields of this message.
    const isRead = client === 'envoy' || chosen.typeName !== roundRobin;
    if (question === 'config' && isRead)
      report({ field: chosen, expected: 'a readable policy', got: chosen.unreadable, reactions });
  } else if (chosen.typeName === wrrLocality)
    checkChild(chosen.at('endpointPickingPolicy'), profile, question, report, depth);
  else if (question === 'config') checkConfig(chosen, profile, report);
}

/** C-core parses the policies before the chosen one far enough to know their types. */
function checkUntyped(
  configs: readonly Field[],
  chosen: Field | undefined,
  reactions: Reactions,
  report: Report,
): void {
  for (const config of configs) {
    if (config === chosen) return;
    if (!config.exists) report({ field: config, expected: 'a policy config', reactions });
    else if (config.isTypedStruct && config.at('typeUrl').text === '')
      report({ field: config.at('typeUrl'), expected: 'a type URL, as in host/name', reactions });
  }
}

function checkChild(
  policy: Field,
  profile: Profile,
  question: Question,
  report: Report,
  depth: number,
): void {
  checkLbPolicy(policy, profile, question, report, depth + 1);
  const [child] = configsOf(policy);
  if (question !== 'config' || clientOf(profile) !== 'envoy' || child === undefined) return;
  if (isUsable(child, profile) && child.typeName !== weighted)
    report({ field: child, expected: weighted, got: child.typeName, reactions: nackBy(profile) });
}

function checkConfig(config: Field, profile: Profile, report: Report): void {
  const isEnvoy = clientOf(profile) === 'envoy';
  const reactions = nackBy(profile);
  if (config.isTypedStruct) return;
  if (config.typeName === ringHash) checkRingHash(config, profile, report);
  const penalty = config.at('errorUtilizationPenalty');
  if (config.typeName === weighted && penalty.numberOr(0) < 0 && !isEnvoy && clientOf(profile) !== 'java')
    report({ field: penalty, expected: 'a penalty >= 0', reactions });
  const count = config.at('choiceCount');
  if (
    config.typeName === leastRequest &&
    count.exists &&
    count.numberOr(0) < 2 &&
    !isEnvoy &&
    isSupportedPolicy(leastRequest, profile)
  )
    report({ field: count, expected: 'a choice of >= 2', reactions });
  const size = config.at('tableSize');
  if (isEnvoy && config.typeName === maglev && size.exists && !isPrime(size.numberOr(0)))
    report({ field: size, expected: 'a prime number', reactions });
}

/**
 * Returns true if a table size is prime, or above 5,000,011: such a size violates a constraint of the protos instead.
 */
export function isPrime(size: number): boolean {
  if (size < 2 || size > 5_000_011) return size > 5_000_011;
  for (let factor = 2; factor * factor <= size; factor += 1) if (size % factor === 0) return false;
  return true;
}

function checkRingHash(config: Field, profile: Profile, report: Report): void {
  const reactions = nackBy(profile);
  const client = clientOf(profile);
  const hash = config.at('hashFunction');
  const min = config.at('minimumRingSize');
  const max = config.at('maximumRingSize');
  const isDefault = !hash.exists || hash.text === 'DEFAULT_HASH';
  // Envoy and C-core treat DEFAULT_HASH (0) like XX_HASH; the other clients do not.
  if (hash.text !== 'XX_HASH' && client !== 'envoy' && !(client === 'core' && isDefault))
    report({ field: hash, expected: 'XX_HASH', got: hash.exists ? hash.show() : 'DEFAULT_HASH', reactions });
  for (const field of [min, max]) {
    if (client === 'node' && field.exists)
      report({
        field,
        expected: 'nothing: grpc-js-xds 1.14 decodes 64-bit numbers as strings and then rejects them',
        reactions,
      });
    else if (field.numberOr(0) > maxRingSize && client !== 'envoy' && client !== 'java')
      report({ field, expected: `a ring size <= ${maxRingSize}`, reactions });
  }
  // Envoy does not take 0 for an absent value.
  const [minSize, maxSize] =
    client === 'envoy'
      ? [min.numberOr(1024), max.numberOr(maxRingSize)]
      : ringSizesOf(min.numberOr(0) || 1024, max.numberOr(0) || maxRingSize, client);
  if (minSize > maxSize && client !== 'node')
    report({ field: min, expected: 'a size <= maximumRingSize', got: String(minSize), reactions });
}

/** grpc-java reduces both sizes to 4,096 before it compares them. */
export function ringSizesOf(min: number, max: number, client: Client): readonly [min: number, max: number] {
  return client === 'java' ? [Math.min(min, 4096), Math.min(max, 4096)] : [min, max];
}
