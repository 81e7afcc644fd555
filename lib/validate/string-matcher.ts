import { mapProfiles, profilesOf, type Who, within } from '../xds/profile';
import type { Field } from './field';
import { findRe2Error } from './re2';
import { nackBy, type Reactions, react } from './reactions';
import type { Report } from './rule';
import { crashesForTarget } from './target-dependence';

/** The patterns of a route. grpc-js-xds compiles them after its ACK, and its process ends. */
export const routeRegex = react({ NACK: ['core', 'go', 'java', 'envoy'], crash: ['node'] });

const patternText = 'an RE2 pattern';

/** Reports a pattern that does not compile, for those clients in `validates` whose RE2 rejects it. */
export function checkRegex(regex: Field, validates: Reactions, report: Report): void {
  const error = findRe2Error(regex.text);
  if (error === undefined) return;
  const reactions = mapProfiles((profile) =>
    error.rejectedBy.includes(profile) ? validates[profile] : 'accept',
  );
  if (Object.values(reactions).every((reaction) => reaction === 'accept')) return;
  report({
    field: regex,
    expected: patternText,
    got: `${regex.show()} (${error.reason})`,
    ...crashesForTarget(reactions),
  });
}

interface StringMatcherReaders {
  /** Clients that validate patterns only on use. */
  readonly lateValidators?: readonly Who[];
  /** Clients that accept a pattern with `ignore_case`. */
  readonly ignoresCase?: readonly Who[];
  /** Clients whose parser fails at a pattern that does not compile. */
  readonly throwing?: readonly Who[];
}

/** envoy.type.matcher.v3.StringMatcher, as the clients in `validates` read one. */
export function checkStringMatcher(
  matcher: Field,
  validates: readonly Who[],
  report: Report,
  { lateValidators = [], ignoresCase = [], throwing = [] }: StringMatcherReaders = {},
): void {
  const only = (...clients: readonly Who[]): Reactions => nackBy(...within(validates, ...clients));
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
    const late = profilesOf(...lateValidators);
    const early = (...clients: readonly Who[]): Reactions =>
      only(...profilesOf(...clients).filter((each) => !late.includes(each)));
    const nacks = early('core', 'go', 'java', 'envoy');
    const reactions = mapProfiles((profile) =>
      nacks[profile] === 'NACK' && throwing.includes(profile) ? 'no answer' : nacks[profile],
    );
    checkRegex(regex, reactions, report);
    const ignoreCase = matcher.at('ignoreCase');
    if (ignoreCase.isTrue)
      report({
        field: ignoreCase,
        expected: 'false, because the specifier is a regex',
        reactions: early(...profilesOf('core', 'envoy').filter((each) => !ignoresCase.includes(each))),
      });
  }
}
