import { before, clientOf, profilesOf, since, type Who, within } from '../xds/profile';
import type { Field } from './field';
import { nackBy, type Reactions, react } from './reactions';
import type { Report } from './rule';
import { checkRegex, checkStringMatcher } from './string-matcher';
import { crashesForTarget } from './target-dependence';

const specifiers = [
  'exactMatch',
  'safeRegexMatch',
  'rangeMatch',
  'presentMatch',
  'prefixMatch',
  'suffixMatch',
  'containsMatch',
  'stringMatch',
];

/** Clients that read the matcher, and those among them that do not support `contains_match`. */
export interface Readers {
  readonly validates: readonly Who[];
  /** The clients of `validates` that validate patterns and ranges only on use. */
  readonly lateValidators?: readonly Who[];
  readonly withoutContains: readonly Who[];
  /** The clients that predate `string_match` (gRFC A63). */
  readonly withoutString: readonly Who[];
  /** The clients that do not accept an empty prefix, suffix or part. */
  readonly withoutEmpty?: readonly Who[];
  /** The clients that end for an empty text, prefix or suffix when they read the routes of their target. */
  readonly endedByEmpty?: readonly Who[];
  /** Clients whose parser fails at a string_match with a pattern that does not compile. */
  readonly throwing?: readonly Who[];
}

/** The header matcher of a route (R10). */
export const routeReaders: Readers = {
  validates: ['core', 'go', 'java', 'node', 'envoy'],
  withoutContains: [...before('go-1.85'), 'node'],
  withoutString: ['core-1.51'],
  withoutEmpty: ['go-1.85'],
  endedByEmpty: within(before('go-1.85'), ...since('go-1.72')),
  throwing: before('java-1.85'),
};

/**
 * envoy.config.route.v3.HeaderMatcher. Envoy accepts a matcher without specifier, which requires that the header is
 * present.
 */
export function checkHeaderMatcher(
  header: Field,
  {
    validates,
    lateValidators = [],
    withoutContains,
    withoutString,
    withoutEmpty = [],
    endedByEmpty = [],
    throwing = [],
  }: Readers,
  report: Report,
): void {
  const only = (...clients: readonly Who[]): Reactions => nackBy(...within(validates, ...clients));
  const late = profilesOf(...lateValidators);
  const name = specifiers.find((each) => header.at(each).exists);
  if (name === undefined) {
    const other = header.names().find((each) => each.endsWith('Match') && each !== 'invertMatch');
    report({
      field: other === undefined ? header : header.at(other),
      expected: specifiers.join(', '),
      reactions: other === undefined ? only('core', 'go', 'java') : only('core', 'go', 'java', 'node'),
    });
    return;
  }
  const field = header.at(name);
  if (name === 'containsMatch')
    report({
      field,
      expected: 'a known matcher',
      reactions: only(...withoutContains),
    });
  if (['exactMatch', 'prefixMatch', 'suffixMatch', 'containsMatch'].includes(name) && field.text === '') {
    const reactions = react({
      NACK: name === 'exactMatch' ? [] : within(validates, ...withoutEmpty),
      crash: name === 'containsMatch' ? [] : within(validates, ...endedByEmpty),
    });
    if (!Object.values(reactions).every((reaction) => reaction === 'accept'))
      report({ field, expected: 'a non-empty string', ...crashesForTarget(reactions) });
  }
  if (name === 'stringMatch') {
    const old = profilesOf(...withoutString);
    report({ field, expected: 'a matcher older than string_match', reactions: only(...old) });
    // grpc-js-xds does not read the field.
    checkStringMatcher(
      field,
      profilesOf(...validates).filter((profile) => !old.includes(profile) && clientOf(profile) !== 'node'),
      report,
      { ignoresCase: before('core-1.74'), throwing },
    );
  }
  const early = (...clients: readonly Who[]): Reactions =>
    only(...profilesOf(...clients).filter((each) => !late.includes(each)));
  if (name === 'safeRegexMatch') {
    const crashing = within(validates, 'node');
    const rejecting = profilesOf('core', 'go', 'java', 'envoy').filter((each) => !late.includes(each));
    checkRegex(field.at('regex'), react({ NACK: within(validates, ...rejecting), crash: crashing }), report);
  }
  if (name === 'rangeMatch' && field.at('start').numberOr(0) > field.at('end').numberOr(0))
    report({ field, expected: 'start <= end', reactions: early('core') });
}
