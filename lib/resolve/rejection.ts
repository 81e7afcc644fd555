import type { ResourceKey } from '../observation/resource-state';
import { isRejection } from '../validate/reactions';
import type { Finding } from '../validate/validate-resource';
import { nameOf, type Profile } from '../xds/profile';

/** The rule by which a client of the profile would reject a body that another client accepted. */
export interface BrokenRule {
  readonly ruleId: string;
  /** Path in the JSON of the resource; '' for the whole. */
  readonly fieldPath: string;
  /** Path, expected and actual value. */
  readonly message: string;
  /** Number of further findings that lead to rejection. */
  readonly others: number;
  /** The client ACKs the body and ignores it. */
  readonly isIgnored?: boolean;
}

export interface Rejection extends ResourceKey, BrokenRule {
  readonly hash: string;
  /** Whether an earlier body is known that the profile accepts. It stays in use. */
  readonly keepsEarlier: boolean;
}

/** Envoy ignores an API listener over LDS. Its effective config is that of one in its bootstrap. */
const apiListenerRule = 'L1';

/** null if clients of the profile accept the body. */
export function findBrokenRule(findings: readonly Finding[], profile: Profile): BrokenRule | null {
  const [first, ...others] = findings.filter(({ ruleId, reactions }) => {
    const reaction = reactions[profile];
    return isRejection(reaction) || (reaction === 'ignore resource' && ruleId !== apiListenerRule);
  });
  if (first === undefined) return null;
  const { ruleId, fieldPath, message, reactions } = first;
  const isIgnored = reactions[profile] === 'ignore resource';
  return { ruleId, fieldPath, message, others: others.length, ...(isIgnored && { isIgnored }) };
}

/** Formats as "C-core would reject it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV". */
export function describeRejection(
  { ruleId, message, others, isIgnored = false }: BrokenRule,
  profile: Profile,
): string {
  const more = others === 0 ? '' : `, and ${others} more`;
  const verb = isIgnored ? 'ACK and ignore' : 'reject';
  return `${nameOf(profile)} would ${verb} it: ${ruleId} ${message}${more}`;
}
