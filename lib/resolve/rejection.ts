import type { ResourceKey } from '../observation/resource-state';
import type { Finding } from '../validate/validate-resource';
import { profileNames, type ResolveProfile } from './resolve-profile';

/** The rule by which a client of the profile would reject a body that another client accepted. */
export interface BrokenRule {
  readonly ruleId: string;
  /** Path in the JSON of the resource; '' for the whole. */
  readonly fieldPath: string;
  /** Path, expected and actual value. */
  readonly message: string;
  /** Number of further findings that lead to rejection. */
  readonly others: number;
}

export interface Rejection extends ResourceKey, BrokenRule {
  readonly hash: string;
  /** Whether an earlier body is known that the profile accepts. It stays in use. */
  readonly keepsEarlier: boolean;
}

/** null if clients of the profile accept the body. */
export function findBrokenRule(findings: readonly Finding[], profile: ResolveProfile): BrokenRule | null {
  const [first, ...others] = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
  if (first === undefined) return null;
  const { ruleId, fieldPath, message } = first;
  return { ruleId, fieldPath, message, others: others.length };
}

/** Formats as "C-core would reject it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV". */
export function describeRejection({ ruleId, message, others }: BrokenRule, profile: ResolveProfile): string {
  const more = others === 0 ? '' : `, and ${others} more`;
  return `${profileNames[profile]} would reject it: ${ruleId} ${message}${more}`;
}
