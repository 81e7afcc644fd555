import { RE2JS } from 're2js';
import { type Profile, profilesOf, since, type Who } from '../xds/profile';

/** Results by pattern, because route configurations often repeat one pattern for every route. Cleared when full. */
const known = new Map<string, string | undefined>();
const maxKnown = 2000;

/** The reason why Go's regexp package rejects the pattern, including its limits (1,000 repetitions, nesting, size). */
function syntaxError(pattern: string): string | undefined {
  if (known.has(pattern)) return known.get(pattern);
  if (known.size >= maxKnown) known.clear();
  const error = compile(pattern);
  known.set(pattern, error);
  return error;
}

function compile(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Clients whose RE2 rejects the pattern, and the reason. There are two dialects: the C++ library supports \C (any
 * byte), and the one in C-core does not support `(?<name>...)`.
 */
export function findRe2Error(
  pattern: string,
): { readonly reason: string; readonly rejectedBy: readonly Profile[] } | undefined {
  const go = syntaxError(pattern);
  const cpp = syntaxError(pattern.replace(/((?:^|[^\\])(?:\\\\)*)\\C/g, '$1.'));
  // Since 1.82, grpc-go compiles the pattern for a match of the whole text.
  const anchored = go ?? syntaxError(`^(?:${pattern})$`);
  const isNewName = /\(\?<[A-Za-z_]/.test(pattern);
  const rejectedBy: Who[] = [];
  if (cpp !== undefined) rejectedBy.push('core');
  else if (isNewName) rejectedBy.push('core');
  if (go !== undefined) rejectedBy.push('go', 'java', 'node');
  else if (anchored !== undefined) rejectedBy.push(...since('go-1.82'));
  if (cpp !== undefined) rejectedBy.push('envoy');
  if (rejectedBy.length === 0) return undefined;
  return {
    reason: go ?? cpp ?? anchored ?? 'a group is named with (?<name>, not (?P<name>',
    rejectedBy: profilesOf(...rejectedBy),
  };
}
