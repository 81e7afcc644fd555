import type { ResourceKey } from '../observation/resource-state';
import type { Reaction } from '../validate/reactions';
import type { Finding } from '../validate/validate-resource';
import { nameOf, type Profile } from '../xds/profile';

/** The rule by which a client of the profile would not use a body that another client accepted. */
export interface BrokenRule {
  readonly ruleId: string;
  /** Path in the JSON of the resource; '' for the whole. */
  readonly fieldPath: string;
  /** Path, expected and actual value. */
  readonly message: string;
  /** Number of further findings that lead to rejection. */
  readonly others: number;
  /** Absent: it rejects the body. */
  readonly reaction?: keyof typeof verbs;
}

export interface Rejection extends ResourceKey, BrokenRule {
  readonly hash: string;
  /** True if an earlier body is known that the profile accepts. It stays in use. */
  readonly keepsEarlier: boolean;
}

const verbs = {
  'no answer': 'send no answer to it',
  crash: 'crash',
  'not serving': 'ACK it and not serve',
  'ignore resource': 'ACK and ignore it',
} as const;

function isWithoutUse(reaction: Reaction): reaction is keyof typeof verbs {
  return Object.hasOwn(verbs, reaction);
}

/** A client that rejects or ignores a body keeps the earlier one. */
export function keepsEarlierBody({ reaction }: BrokenRule): boolean {
  return reaction !== 'crash' && reaction !== 'not serving';
}

/** Envoy ignores an API listener over LDS. Its effective config is that of one in its bootstrap. */
const apiListenerRule = 'L1';

/** null if clients of the profile accept the body. */
export function findBrokenRule(findings: readonly Finding[], profile: Profile): BrokenRule | null {
  const [first, ...others] = findings.filter(({ ruleId, reactions }) => {
    const reaction = reactions[profile];
    return reaction === 'NACK' || (isWithoutUse(reaction) && ruleId !== apiListenerRule);
  });
  if (first === undefined) return null;
  const { ruleId, fieldPath, message, reactions } = first;
  const reaction = reactions[profile];
  return { ruleId, fieldPath, message, others: others.length, ...(isWithoutUse(reaction) && { reaction }) };
}

/** Formats as "C-core would reject it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV". */
export function describeRejection(
  { ruleId, message, others, reaction }: BrokenRule,
  profile: Profile,
): string {
  const more = others === 0 ? '' : `, and ${others} more`;
  const verb = reaction === undefined ? 'reject it' : verbs[reaction];
  return `${nameOf(profile)} would ${verb}: ${ruleId} ${message}${more}`;
}
