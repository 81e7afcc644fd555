import type { ResourceKey } from '../observation/observation';
import type { Finding } from '../validate/validate-resource';
import { profileNames, type ResolveProfile } from './resolve-profile';

/** The rule for which a client of the profile would reject a body that somebody else accepted. */
export interface BrokenRule {
  readonly ruleId: string;
  /** As in the resource's JSON; '' for the whole. */
  readonly fieldPath: string;
  /** Path, expected and got. */
  readonly message: string;
  /** How many more findings it would be rejected for. */
  readonly others: number;
}

export interface Rejection extends ResourceKey, BrokenRule {
  /** Of the rejected body. */
  readonly hash: string;
  /** An earlier body is known that the profile takes: it stays in use. */
  readonly keepsEarlier: boolean;
}

/** null: the profile's clients take the body. */
export function findBrokenRule(findings: readonly Finding[], profile: ResolveProfile): BrokenRule | null {
  const [first, ...others] = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
  if (first === undefined) return null;
  const { ruleId, fieldPath, message } = first;
  return { ruleId, fieldPath, message, others: others.length };
}

/** As in "C-core would reject it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV". */
export function describeRejection({ ruleId, message, others }: BrokenRule, profile: ResolveProfile): string {
  const more = others === 0 ? '' : `, and ${others} more`;
  return `${profileNames[profile]} would reject it: ${ruleId} ${message}${more}`;
}
