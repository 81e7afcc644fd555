import { denominators, isKnownDenominator } from '../common-values';
import { checkHeaderMatcher, routeReaders } from '../header-matcher';
import { grpcNack, ignoredBy, nackBy } from '../reactions';
import type { Rule } from '../rule';
import { checkRegex, routeRegex } from '../string-matcher';
import { canMatchGrpc, routesOf } from './route-parts';
import { ruleOfHost, ruleOfRoute } from './route-rule';

export const routeMatchRules: readonly Rule[] = [
  ruleOfHost('R5', 'A route has a match', 'gRFC A28: match', grpcNack, (host, report) => {
    for (const { field } of routesOf(host)) {
      if (!field.at('match').exists) report({ field: field.at('match'), expected: 'a match' });
    }
  }),
  ruleOfHost(
    'R6',
    'gRPC does not use a route that has query parameter matchers',
    'gRFC A28: query parameters',
    ignoredBy('core', 'go', 'java'),
    (host, report) => {
      for (const { field } of routesOf(host)) {
        const query = field.in('match', 'queryParameters');
        if (query.items().length > 0) report({ field: query, expected: 'none, else the route is not used' });
      }
    },
  ),
  ruleOfRoute(
    'R7',
    'A match has one supported path specifier',
    'gRFC A28: path specifier',
    grpcNack,
    (route, report) => {
      const match = route.at('match');
      const known = ['prefix', 'path', 'safeRegex'];
      if (!match.exists || known.some((name) => match.at(name).exists)) return;
      const other = ['pathSeparatedPrefix', 'connectMatcher', 'pathMatchPolicy'].find(
        (name) => match.at(name).exists,
      );
      report({ field: other === undefined ? match : match.at(other), expected: 'prefix, path or safeRegex' });
    },
  ),
  ruleOfRoute(
    'R8',
    'A regular expression is valid RE2',
    'gRFC A28: safe_regex',
    nackBy('core', 'go', 'java', 'envoy'),
    (route, report) => {
      const regex = route.in('match', 'safeRegex');
      if (!regex.exists) return;
      checkRegex(regex.at('regex'), routeRegex, report);
    },
  ),
  ruleOfHost(
    'R9',
    'A path or prefix can match a gRPC method',
    'gRFC A28: paths of gRPC',
    ignoredBy('core'),
    (host, report) => {
      for (const { field } of routesOf(host)) {
        if (!canMatchGrpc(field.at('match')))
          report({ field: field.at('match'), expected: 'a match for /service/method' });
      }
    },
  ),
  ruleOfRoute(
    'R10',
    'A header matcher is supported and valid',
    'gRFC A28, A63: header matchers',
    nackBy(),
    (route, report) => {
      for (const header of route.in('match', 'headers').items())
        checkHeaderMatcher(header, routeReaders, report);
    },
  ),
  ruleOfRoute(
    'R11',
    'The denominator of a runtime fraction is known',
    'gRFC A28: runtime fraction',
    nackBy('core', 'java'),
    (route, report) => {
      const fraction = route.in('match', 'runtimeFraction', 'defaultValue');
      if (!isKnownDenominator(fraction))
        report({ field: fraction.at('denominator'), expected: denominators });
    },
  ),
  ruleOfRoute(
    'R11a',
    'gRPC does not read the other matchers of a route',
    'gRFC A28: matchers that gRPC does not read',
    ignoredBy('core', 'go', 'java', 'node'),
    (route, report) => {
      const match = route.at('match');
      for (const name of ['grpc', 'tlsContext', 'dynamicMetadata', 'filterState', 'cookies']) {
        const field = match.at(name);
        if (field.exists)
          report({ field, expected: 'nothing: gRPC matches the route on the rest', got: field.show() });
      }
    },
  ),
];
