import { RE2JS } from 're2js';
import { before, type Profile, profilesOf, since, type Who } from '../xds/profile';

interface Compiled {
  readonly error?: string;
  readonly size: number;
  /** Absent if the pattern does not compile. */
  readonly regex?: RE2JS;
}

/** Results by pattern, because route configurations often repeat one pattern for every route. Cleared when full. */
const known = new Map<string, Compiled>();
const maxKnown = 2000;

/** The reason why Go's regexp package rejects the pattern, including its limits (1,000 repetitions, nesting, size). */
function syntaxError(pattern: string): string | undefined {
  return compiledOf(pattern).error;
}

/** The C++ library adds a loop before the pattern, which is two instructions. */
export function programSizeOf(pattern: string): number {
  return compiledOf(pattern).size + 2;
}

function compiledOf(pattern: string): Compiled {
  const compiled = known.get(pattern) ?? compile(pattern);
  if (known.size >= maxKnown) known.clear();
  known.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): Compiled {
  try {
    const regex = RE2JS.compile(pattern);
    return { size: regex.programSize(), regex };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), size: 0 };
  }
}

/** Returns true if the whole text matches the pattern; undefined if the pattern does not compile. */
export function matchesRe2(pattern: string, text: string): boolean | undefined {
  return compiledOf(pattern).regex?.matches(text);
}

/**
 * Replaces each match, as RegexMatchAndSubstitute does: "\\N" in the substitution is the text of group N, and "\\0" that of the
 * whole match. undefined if the pattern does not compile.
 */
export function replaceRe2(pattern: string, text: string, substitution: string): string | undefined {
  const matcher = compiledOf(pattern).regex?.matcher(text);
  if (matcher === undefined) return undefined;
  let replaced = '';
  let end = 0;
  while (matcher.find()) {
    replaced += text.slice(end, matcher.start());
    replaced += substitution.replace(/\\([\d\\])/g, (_, each: string) =>
      each === '\\' ? each : (matcher.group(Number(each)) ?? ''),
    );
    end = matcher.end();
  }
  return replaced + text.slice(end);
}

/** Repetitions within repetitions, of which each is within the limit. RE2/J does not multiply them. */
function isOnlyNested(reason: string): boolean {
  const [, min = '', max = min] = /invalid repeat count: `\{(\d+)(?:,(\d*))?\}/.exec(reason) ?? [];
  return (
    min !== '' && Math.max(Number(min), Number(max)) <= 1_000 && (max === '' || Number(min) <= Number(max))
  );
}

/**
 * Clients whose RE2 rejects the pattern, and the reason. There are two dialects: the C++ library supports \C (any
 * byte), and those in C-core and in grpc-java 1.60 do not support `(?<name>...)`.
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
  if (go !== undefined) rejectedBy.push('go', 'node', ...(isOnlyNested(go) ? [] : (['java'] as const)));
  else if (anchored !== undefined) rejectedBy.push(...since('go-1.82'));
  if (cpp !== undefined) rejectedBy.push('envoy');
  if (isNewName) rejectedBy.push(...before('java-1.76'));
  if (rejectedBy.length === 0) return undefined;
  return {
    reason: go ?? cpp ?? anchored ?? 'a group is named with (?<name>, not (?P<name>',
    rejectedBy: profilesOf(...rejectedBy),
  };
}
