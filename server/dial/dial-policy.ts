import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { type HostPattern, parseHostPattern } from './host-pattern';
import { parseIpAddress } from './ip-address';
import { findRejection } from './rejected-ranges';
import type { Target } from './target';

export type DialDecision =
  | { readonly isAllowed: true }
  /** `entry` is what --allow-target has to list for the decision to be another one. */
  | { readonly isAllowed: false; readonly rule: string; readonly entry: string };

const allowed: DialDecision = { isAllowed: true };
const environmentKey = 'xdscope.allowedTargets';

/** For this thread and for all that are started after it. Every entry is one that parseHostPattern() knows. */
export function setAllowedTargets(entries: readonly string[]): void {
  setEnvironmentData(environmentKey, [...entries]);
}

/** What setAllowedTargets() was called with, in whatever thread; empty: the list is not exclusive. */
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
 * May `address`, which the target is or resolved to, be dialled? Some ranges are rejected, whoever names the target,
 * unless a CIDR within the range is listed. Where anything is listed, everything else is rejected, but for targets that
 * a flag, the environment or the config file names.
 */
export function decideDial(
  { host, isNamed = false }: Pick<Target, 'host' | 'isNamed'>,
  address: string,
  patterns: readonly HostPattern[] = allowedTargets(),
): DialDecision {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return { isAllowed: false, rule: 'it is no IP address', entry: address };
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
