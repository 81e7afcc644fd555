import type { Field } from './field';
import { nackBy, type Profile, type Reactions } from './profile';
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

/** Clients that read the matcher, and those of them that do not know `contains_match`. */
interface Readers {
  readonly validates: readonly Profile[];
  /** Of the validates, those who look at patterns and ranges only when they use them. */
  readonly lateJudges?: readonly Profile[];
  readonly withoutContains: readonly Profile[];
}

/** A route's header matcher (R10). */
export const routeReaders: Readers = {
  validates: ['core', 'go', 'java', 'node', 'envoy'],
  withoutContains: ['go', 'node'],
};

/** envoy.config.route.v3.HeaderMatcher. Envoy takes one without specifier: the header has to be present. */
export function checkHeaderMatcher(
  header: Field,
  { validates, lateJudges = [], withoutContains }: Readers,
  report: Report,
): void {
  const only = (...who: Profile[]): Reactions =>
    nackBy(...who.filter((profile) => validates.includes(profile)));
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
      expected: 'another matcher: this one is not known',
      reactions: only(...withoutContains),
    });
  if (name === 'stringMatch') {
    // C-core 1.51 is older than gRFC A63; grpc-js-xds does not look into it.
    report({ field, expected: 'another matcher: string_match is newer', reactions: only('core') });
    checkStringMatcher(
      field,
      validates.filter((profile) => profile !== 'core' && profile !== 'node'),
      report,
    );
  }
  const early = (...who: Profile[]): Reactions => only(...who.filter((each) => !lateJudges.includes(each)));
  if (name === 'safeRegexMatch') checkRegex(field.at('regex'), early('core', 'go', 'java', 'envoy'), report);
  if (name === 'rangeMatch' && field.at('start').numberOr(0) > field.at('end').numberOr(0))
    report({ field, expected: 'start <= end', reactions: early('core') });
}
