import { since } from '../../xds/profile';
import { parseDuration } from '../duration';
import type { Field } from '../field';
import {
  gcpAuthn as authn,
  statefulSession as session,
  statefulSessionPerRoute as sessionPerRoute,
} from '../http-filters';
import { nackBy, noNacks } from '../reactions';
import type { Report, Rule } from '../rule';
import { ruleOfFilter } from './filter-places';

const cookieState = 'envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState';

const composite = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
const compositeAction = 'envoy.extensions.filters.http.composite.v3.ExecuteFilterAction';
const maxCompositeDepth = 8;

/** Filters that only the newest clients support. */
export const newerFilterRules: readonly Rule[] = [
  ruleOfFilter(
    'A55',
    'The config of stateful session affinity is valid',
    'gRFC A55: stateful session',
    [session, sessionPerRoute],
    nackBy(...since('core-1.56')),
    (config, report) => {
      const own = config.typeName === session ? config : config.at('statefulSession');
      const state = own.in('sessionState', 'typedConfig');
      if (state.exists) checkSessionState(state, report);
    },
  ),
  ruleOfFilter(
    'A83',
    'The cache size of gcp_authn is in range',
    'gRFC A83: gcp_authn',
    [authn],
    nackBy(...since('core-1.73'), 'java-1.85'),
    (config, report) => {
      const size = config.in('cacheConfig', 'cacheSize');
      if (size.exists && size.numberOr(0) <= 0) report({ field: size, expected: 'at least 1' });
    },
  ),
  ruleOfFilter(
    'A103',
    'The config of the composite filter is valid',
    'gRFC A103: composite',
    [composite],
    noNacks,
    (config, report) => checkComposite(config, report, 1),
  ),
];

function checkSessionState(state: Field, report: Report): void {
  if (state.typeName !== cookieState) {
    report({ field: state, expected: cookieState, got: state.typeName || 'nothing' });
    return;
  }
  const cookie = state.at('cookie');
  const name = cookie.at('name');
  const ttl = cookie.at('ttl');
  if (!cookie.exists) report({ field: cookie, expected: 'a cookie' });
  else if (name.text === '') report({ field: name, expected: 'the name of a cookie' });
  const duration = parseDuration(ttl);
  if (duration !== undefined && (duration.seconds < 0 || duration.nanos < 0))
    report({ field: ttl, expected: 'a duration of 0 or more' });
}

/** Validates the filters inside the matcher of a composite filter, and their nesting depth. */
function checkComposite(config: Field, report: Report, depth: number): void {
  if (depth > maxCompositeDepth) {
    report({
      field: config,
      expected: `at most ${maxCompositeDepth} nested composite filters`,
      got: String(depth),
    });
    return;
  }
  for (const match of matchesOf(config.at('xdsMatcher'), 0)) {
    const keep = match.at('keepMatching');
    if (keep.isTrue) report({ field: keep, expected: 'false' });
    const action = match.in('action', 'typedConfig');
    const inner = action.in('typedConfig', 'typedConfig');
    if (action.typeName === compositeAction && inner.typeName === composite)
      checkComposite(inner, report, depth + 1);
  }
}

/** Every OnMatch of an xds.type.matcher.v3.Matcher. */
function matchesOf(matcher: Field, depth: number): Field[] {
  if (!matcher.exists || depth > 100) return [];
  const list = matcher
    .in('matcherList', 'matchers')
    .items()
    .map((each) => each.at('onMatch'));
  const trees = ['exactMatchMap', 'prefixMatchMap'].flatMap((name) =>
    matcher
      .in('matcherTree', name, 'map')
      .entries()
      .map(([, each]) => each),
  );
  const own = [...list, ...trees, matcher.at('onNoMatch')].filter((each) => each.exists);
  return own.flatMap((each) => [each, ...matchesOf(each.at('matcher'), depth + 1)]);
}
