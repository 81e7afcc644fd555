import { before, since } from '../xds/profile';
import { CDS, LDS, messageNameOf, RDS, resourceTypes } from '../xds/resource-type';
import { readTypeUrl } from '../xds/v2-types';
import { clusterRules } from './cluster/cluster-rules';
import { discoveryRules } from './cluster/discovery-rules';
import { lbRules } from './cluster/lb-rules';
import { endpointRules } from './endpoint/endpoint-rules';
import { localityRules } from './endpoint/locality-rules';
import { envoyClusterRules } from './envoy/cluster-rules';
import { envoyRules } from './envoy/envoy-rules';
import { envoyExtensionRules } from './envoy/extension-rules';
import { envoyFilterRules } from './envoy/filter-rules';
import { envoyHealthCheckRules } from './envoy/health-check-rules';
import { envoyListenerRules } from './envoy/listener-rules';
import { envoyMessageRules } from './envoy/message-rules';
import { envoyOverrideRules } from './envoy/override-rules';
import { envoyRegexRules } from './envoy/regex-rules';
import { envoyRouteRules } from './envoy/route-rules';
import { envoyStateRules } from './envoy/state-rules';
import { envoyTlsRules } from './envoy/tls-rules';
import { envoyUpstreamRules } from './envoy/upstream-rules';
import { faultRules } from './filters/fault-rules';
import { newerFilterRules } from './filters/newer-filter-rules';
import { overrideRules } from './filters/override-rules';
import { rbacRules } from './filters/rbac-rules';
import { connectionManagerRules } from './listener/connection-manager-rules';
import { filterChainRules } from './listener/filter-chain-rules';
import { httpFilterRules } from './listener/http-filter-rules';
import { serverListenerRules } from './listener/server-listener-rules';
import { everyNack, nackBy, react } from './reactions';
import { routeActionRules } from './route/route-action-rules';
import { routeMatchRules } from './route/route-match-rules';
import { virtualHostRules } from './route/virtual-host-rules';
import type { Rule } from './rule';
import { downstreamTlsRules } from './tls/downstream-tls-rules';
import { upstreamTlsRules } from './tls/upstream-tls-rules';

/** Section 2.1: rules that hold for every type. The name of an EDS resource is rule E1. */
const nameRules: readonly Rule[] = [
  {
    id: '2.1',
    title: 'A resource name is an old-style name or a valid xdstp name',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source: 'xDS: resource names',
    reactions: react({ NACK: since('go-1.82'), crash: before('go-1.82') }),
    check(resource, report) {
      const name = resource.at('name');
      if (name.text === '') report({ field: name, expected: 'the name of the resource' });
      // gRFC A47: xdstp://authority/type/id.
      else if (name.text.startsWith('xdstp:') && !/^xdstp:(?:\/\/[^/]*)?\/[^/]+/.test(name.text))
        report({
          field: name,
          expected: 'a name as in xdstp://authority/type/id',
          reactions: nackBy(...since('core-1.56'), 'java', 'node', 'envoy'),
        });
    },
  },
];

/** Rules about the response that carries the resource. */
const responseRules: readonly Rule[] = [
  {
    id: 'response-type',
    title: 'The resources of a response have its type',
    types: resourceTypes.map(({ typeUrl }) => typeUrl),
    source:
      'measured: C-core 1.85.1, Go 1.85.0, Java 1.85.1, Node 1.14.1, Envoy 1.36.2 and 1.40.0 with a cluster and endpoints in one CDS response',
    reactions: everyNack,
    check(resource, report, { typeUrl, response }) {
      if (response === undefined) return;
      const expected = messageNameOf(response.typeUrl);
      const got = messageNameOf(typeUrl);
      if (readTypeUrl(response.typeUrl).typeUrl !== typeUrl)
        report({ field: resource, expected: `${expected}, the type_url of the response`, got });
      // A gRPC client uses the resources of the right type.
      else if (response.isMixed)
        report({
          ...{ field: resource, got: 'one with a resource of another type' },
          expected: `a response with ${expected} alone`,
          reactions: nackBy('envoy'),
        });
    },
  },
];

export const rules: readonly Rule[] = [
  ...responseRules,
  ...nameRules,
  ...connectionManagerRules,
  ...httpFilterRules,
  ...serverListenerRules,
  ...filterChainRules,
  ...downstreamTlsRules,
  ...upstreamTlsRules,
  ...virtualHostRules,
  ...routeMatchRules,
  ...routeActionRules,
  ...overrideRules,
  ...faultRules,
  ...rbacRules,
  ...newerFilterRules,
  ...discoveryRules,
  ...lbRules,
  ...clusterRules,
  ...localityRules,
  ...endpointRules,
  ...envoyRules,
  ...envoyClusterRules,
  ...envoyListenerRules,
  ...envoyRouteRules,
  ...envoyRegexRules,
  ...envoyStateRules,
  ...envoyExtensionRules,
  ...envoyTlsRules,
  ...envoyMessageRules,
  ...envoyOverrideRules,
  ...envoyFilterRules,
  ...envoyHealthCheckRules,
  ...envoyUpstreamRules,
];

const titles = new Map(rules.map(({ id, title }) => [id, title]));

/** Returns the requirement of the rule; its ID for a rule of a later version. */
export function titleOfRule(ruleId: string): string {
  return titles.get(ruleId) ?? ruleId;
}
