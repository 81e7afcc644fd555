import { before, clientOf, profilesOf, type Who, within } from '../xds/profile';
import type { Field } from './field';
import { nackBy, type Reactions, react } from './reactions';
import type { Report } from './rule';
import { checkRegex, checkStringMatcher } from './string-matcher';

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
interface Readers {
  readonly validates: readonly Who[];
  /** Those clients of `validates` that validate patterns and ranges only on use. */
  readonly lateValidators?: readonly Who[];
  readonly withoutContains: readonly Who[];
  /** Those that do not accept an empty prefix, suffix or part. */
  readonly withoutEmpty?: readonly Who[];
}

/** The header matcher of a route (R10). */
export const routeReaders: Readers = {
  validates: ['core', 'go', 'java', 'node', 'envoy'],
  withoutContains: [...before('go-1.85'), 'node'],
  withoutEmpty: ['go-1.85'],
};

/**
 * envoy.config.route.v3.HeaderMatcher. Envoy accepts a matcher without specifier, which requires that the header is
 * present.
 */
export function checkHeaderMatcher(
  header: Field,
  { validates, lateValidators = [], withoutContains, withoutEmpty = [] }: Readers,
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
  if (['prefixMatch', 'suffixMatch', 'containsMatch'].includes(name) && field.text === '')
    report({ field, expected: 'a non-empty string', reactions: only(...withoutEmpty) });
  if (name === 'stringMatch') {
    // C-core 1.51 predates gRFC A63; grpc-js-xds does not read the field.
    report({ field, expected: 'a matcher older than string_match', reactions: only('core-1.51') });
    checkStringMatcher(
      field,
      profilesOf(...validates).filter((profile) => profile !== 'core-1.51' && clientOf(profile) !== 'node'),
      report,
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
