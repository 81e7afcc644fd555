import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { parseIpAddress } from '../../ip-address';
import { type HostPattern, parseHostPattern } from './host-pattern';
import { findRejection } from './rejected-ranges';
import type { Target } from './target';

export type DialDecision =
  | { readonly isAllowed: true }
  /** With `entry` in --allow-target, the address would be allowed. */
  | { readonly isAllowed: false; readonly rule: string; readonly entry: string };

const allowed: DialDecision = { isAllowed: true };
const environmentKey = 'xdscope.allowedTargets';

/** Applies to this thread and to threads that are started later. The caller has parsed each entry with parseHostPattern(). */
export function setAllowedTargets(entries: readonly string[]): void {
  setEnvironmentData(environmentKey, [...entries]);
}

/** The patterns of setAllowedTargets() in this process. An empty list does not limit targets. */
export function allowedTargets(): readonly HostPattern[] {
  const entries = getEnvironmentData(environmentKey);
  if (!Array.isArray(entries)) return [];
  return entries.map((entry) => {
    const pattern = parseHostPattern(String(entry));
    if (pattern === undefined) throw new Error(`${entry}: expected a CIDR or a host name`);
    return pattern;
  });
}

/**
 * Decides whether `address`, which is the target or one of its addresses, may be dialled. Rejected ranges need a pattern
 * with a CIDR within the range, even for targets of the operator. A list that is not empty rejects every other target,
 * except those that a flag, the environment or the config file names.
 */
export function decideDial(
  { host, isNamed = false }: Pick<Target, 'host' | 'isNamed'>,
  address: string,
): DialDecision {
  const patterns = allowedTargets();
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return { isAllowed: false, rule: 'it is not an IP address', entry: address };
  const rejection = findRejection(parsed);
  if (rejection !== undefined) {
    const { rule, minPrefix } = rejection;
    const isLifted = patterns.some(({ prefix = -1, matches }) => prefix >= minPrefix && matches(address));
    return isLifted ? allowed : { isAllowed: false, rule, entry: parsed.text };
  }
  if (isNamed || patterns.length === 0) return allowed;
  if (patterns.some((pattern) => pattern.matches(address) || pattern.matches(host))) return allowed;
  const rule = 'it is not among the targets that --allow-target lists';
  return { isAllowed: false, rule, entry: parseIpAddress(host) === undefined ? host : parsed.text };
}
