import type { Field } from '../field';
import { nackBy, react } from '../reactions';
import { routesOf, virtualHostsOf } from '../route/route-parts';
import { ruleOfConfig } from '../route/route-rule';
import type { Report, Rule } from '../rule';
import { checkRegex } from '../string-matcher';

const source = 'Envoy: measured with 1.40.0';
const envoyNack = react({ NACK: ['envoy'] });

/** Conditions on routes that Envoy rejects and that are no constraints of the protos. */
export const envoyRouteRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-headers',
    source,
    'requestHeadersToAdd[].header.key',
    nackBy('envoy'),
    (config, report) => {
      checkHeaders(config, report);
      for (const host of virtualHostsOf(config)) {
        checkHeaders(host, report);
        for (const { field } of routesOf(host)) {
          checkHeaders(field, report);
          for (const each of field.in('route', 'weightedClusters', 'clusters').items())
            checkHeaders(each, report);
        }
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-rewrite',
    source,
    'virtualHosts[].routes[].route.regexRewrite',
    envoyNack,
    (config, report) => {
      for (const host of virtualHostsOf(config)) {
        for (const { field } of routesOf(host)) {
          const pattern = field.in('route', 'regexRewrite', 'pattern', 'regex');
          if (pattern.exists) checkRegex(pattern, envoyNack, report);
        }
      }
    },
  ),
];

function checkHeaders(owner: Field, report: Report): void {
  for (const option of owner.at('requestHeadersToAdd').items()) {
    const key = option.in('header', 'key');
    if (key.text.startsWith(':') || key.text.toLowerCase() === 'host')
      report({ field: key, expected: 'a header that is neither a pseudo-header nor host' });
  }
}
