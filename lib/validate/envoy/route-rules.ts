import { parseDuration } from '../duration';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import { routesOf, virtualHostsOf } from '../route/route-parts';
import { ruleOfConfig } from '../route/route-rule';
import type { Report, Rule } from '../rule';
import { checkRegex } from '../string-matcher';
import { findUnknownOperator } from './command-operators';
import { checkEnvoyDuration } from './common-checks';

const source = 'Envoy: measured with 1.40.0';
const envoyNack = nackBy('envoy');

/** Conditions on routes that Envoy rejects and that are no constraints of the protos. */
export const envoyRouteRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-headers',
    'Headers that are added or removed may be changed',
    source,
    envoyNack,
    (config, report) => {
      for (const owner of headerOwnersOf(config)) {
        for (const option of owner.at('requestHeadersToAdd').items()) {
          const key = option.in('header', 'key');
          if (key.text.startsWith(':') || key.text.toLowerCase() === 'host')
            report({ field: key, expected: 'a header that is neither a pseudo-header nor host' });
        }
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-operators',
    'Command operators in header values are valid',
    source,
    envoyNack,
    (config, report) => {
      for (const owner of headerOwnersOf(config)) {
        for (const name of ['requestHeadersToAdd', 'responseHeadersToAdd']) {
          for (const option of owner.at(name).items()) {
            const field = option.in('header', 'value');
            const unknown = findUnknownOperator(field.text);
            if (unknown !== undefined)
              report({ field, expected: 'known command operators', got: field.withValue(unknown).show() });
          }
        }
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-rewrite',
    'The regular expression and the substitution of a rewrite are valid',
    source,
    envoyNack,
    (config, report) => {
      for (const route of allRoutesOf(config)) {
        const action = route.at('route');
        const patterns = [
          action.at('regexRewrite'),
          action.at('hostRewritePathRegex'),
          route.in('redirect', 'regexRewrite'),
        ].map((rewrite) => rewrite.in('pattern', 'regex'));
        const parameters = route
          .in('match', 'queryParameters')
          .items()
          .map((parameter) => parameter.in('stringMatch', 'safeRegex', 'regex'));
        for (const pattern of [...patterns, ...parameters]) {
          if (pattern.exists) checkRegex(pattern, envoyNack, report);
        }
      }
    },
  ),
  ruleOfConfig('ENVOY-mirror', 'A request mirror policy is valid', source, envoyNack, (config, report) => {
    const actions = allRoutesOf(config).map((route) => route.at('route'));
    for (const owner of [config, ...virtualHostsOf(config), ...actions]) {
      for (const mirror of owner.at('requestMirrorPolicies').items())
        if (mirror.at('cluster').text === '' && mirror.at('clusterHeader').text === '')
          report({ field: mirror, expected: 'cluster or clusterHeader' });
    }
    for (const host of virtualHostsOf(config))
      if (host.at('matcher').exists && host.at('routes').items().length > 0)
        report({ field: host.at('matcher'), expected: 'nothing beside routes' });
  }),
  ruleOfConfig(
    'ENVOY-durations',
    'Durations are in the range that Envoy accepts',
    source,
    envoyNack,
    (config, report) => {
      for (const host of virtualHostsOf(config)) checkRetryDurations(host.at('retryPolicy'), report);
      for (const route of allRoutesOf(config)) {
        const action = route.at('route');
        for (const name of ['timeout', 'idleTimeout', 'flushTimeout', 'maxGrpcTimeout', 'grpcTimeoutOffset'])
          checkDuration(action.at(name), report);
        checkDuration(action.in('maxStreamDuration', 'grpcTimeoutHeaderOffset'), report);
        for (const name of ['maxStreamDuration', 'grpcTimeoutHeaderMax'])
          checkEnvoyDuration(action.in('maxStreamDuration', name), report);
        checkRetryDurations(action.at('retryPolicy'), report);
        for (const policy of action.at('hashPolicy').items())
          checkDuration(policy.in('cookie', 'ttl'), report);
      }
    },
  ),
];

function allRoutesOf(config: Field): Field[] {
  return virtualHostsOf(config).flatMap((host) => routesOf(host).map(({ field }) => field));
}

function headerOwnersOf(config: Field): Field[] {
  const routes = allRoutesOf(config);
  const clusters = routes.flatMap((route) => route.in('route', 'weightedClusters', 'clusters').items());
  return [config, ...virtualHostsOf(config), ...routes, ...clusters];
}

function checkRetryDurations(policy: Field, report: Report): void {
  checkDuration(policy.at('perTryTimeout'), report);
  checkDuration(policy.at('perTryIdleTimeout'), report);
  checkDuration(policy.in('rateLimitedRetryBackOff', 'maxInterval'), report);
  for (const name of ['baseInterval', 'maxInterval'])
    checkEnvoyDuration(policy.in('retryBackOff', name), report);
}

/** The nanoseconds must fit into 64 bits. */
const maxSeconds = 9_223_372_035;

function checkDuration(field: Field, report: Report): void {
  const { seconds, nanos } = parseDuration(field) ?? { seconds: 0, nanos: 0 };
  if (seconds < 0 || nanos < 0 || seconds > maxSeconds)
    report({ field, expected: `a duration of 0 to ${maxSeconds} seconds` });
}
