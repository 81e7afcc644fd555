import type { Field } from './field';
import { nackBy, type Profile, type Reactions } from './profile';
import { findRe2Error } from './re2';
import type { Report } from './rule';

export const patternText = 'an RE2 pattern';

/** Reports a pattern that does not compile, for those clients in `validates` whose RE2 rejects it. */
export function checkRegex(regex: Field, validates: Reactions, report: Report): void {
  const error = findRe2Error(regex.text);
  if (error === undefined) return;
  const clients = error.rejectedBy.filter((profile) => validates[profile] === 'NACK');
  if (clients.length === 0) return;
  report({
    field: regex,
    expected: patternText,
    got: `${regex.show()} (${error.reason})`,
    reactions: nackBy(...clients),
  });
}

/**
 * envoy.type.matcher.v3.StringMatcher, as the clients in `validates` read one; `lateValidators` of them validate patterns
 * only on use.
 */
export function checkStringMatcher(
  matcher: Field,
  validates: readonly Profile[],
  report: Report,
  lateValidators: readonly Profile[] = [],
): void {
  const only = (...clients: Profile[]): Reactions =>
    nackBy(...clients.filter((profile) => validates.includes(profile)));
  const kinds = ['exact', 'prefix', 'suffix', 'contains', 'safeRegex'];
  if (!kinds.some((kind) => matcher.at(kind).exists)) {
    report({ field: matcher, expected: kinds.join(', '), reactions: only('core', 'go', 'java') });
    return;
  }
  for (const kind of ['prefix', 'suffix', 'contains']) {
    const part = matcher.at(kind);
    if (part.exists && part.text === '')
      report({ field: part, expected: 'a non-empty string', reactions: only('go') });
  }
  const regex = matcher.in('safeRegex', 'regex');
  if (matcher.at('safeRegex').exists) {
    const early = (...clients: Profile[]): Reactions =>
      only(...clients.filter((each) => !lateValidators.includes(each)));
    checkRegex(regex, early('core', 'go', 'java', 'envoy'), report);
    const ignoreCase = matcher.at('ignoreCase');
    if (ignoreCase.isTrue)
      report({
        field: ignoreCase,
        expected: 'false, because the specifier is a regex',
        reactions: early('core'),
      });
  }
}
