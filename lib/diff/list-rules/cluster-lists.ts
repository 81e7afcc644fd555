import { type ListRule, type ListRules, ordered, orderedByKey, unordered } from '../list-rule';
import { anyMayMatch, headersToAdd } from './route-lists';

const cluster = 'envoy.config.cluster.v3.';
const core = 'envoy.config.core.v3.';
const endpoint = 'envoy.config.endpoint.v3.';
const tls = 'envoy.extensions.transport_sockets.tls.v3.';

const endpoints = unordered(
  'weight and health decide about an endpoint, not its place; pick_first alone tries them in turn',
  ['endpoint.address'],
  ['endpointName'],
);
const fallbackInTurn = ordered('a list to fall back along: the first that can be used is used');
const preferenceInTurn = ordered('the peers agree on what comes first');
const subsetKeys = unordered('the keys together choose the subset');
const selectors = unordered('a selector is found by its set of keys', ['keys']);
const thresholds: ListRule = {
  ...orderedByKey('each priority has limits of its own; of several for one priority the first counts', [
    'priority',
  ]),
  isKeyWhenEmpty: true,
};
const secretsByName = ordered('of certificates that fit a client the first is used', ['name']);

export const clusterLists: ListRules = {
  'envoy.extensions.clusters.aggregate.v3.ClusterConfig.clusters': {
    ...fallbackInTurn,
    reason: 'traffic falls from one cluster to the next in this order',
  },
  [`${cluster}LoadBalancingPolicy.policies`]: {
    ...fallbackInTurn,
    keys: [['typedExtensionConfig.typedConfig.@type', 'typedExtensionConfig.name']],
    reason: 'the first policy that the client knows is used',
  },
  [`${cluster}CircuitBreakers.thresholds`]: thresholds,
  [`${cluster}CircuitBreakers.perHostThresholds`]: thresholds,
  [`${cluster}Cluster.transportSocketMatches`]: {
    ...ordered('the first match that an endpoint fits is used', ['name']),
    like: [['match']],
  },
  [`${cluster}Cluster.healthChecks`]: {
    ...unordered('an endpoint must pass all of them'),
    like: [['httpHealthCheck.path'], ['grpcHealthCheck.serviceName']],
  },
  [`${cluster}Cluster.filters`]: ordered('filters run one after the other', ['name']),
  [`${cluster}Cluster.dnsResolvers`]: fallbackInTurn,
  [`${core}DnsResolutionConfig.resolvers`]: fallbackInTurn,
  [`${cluster}Cluster.lrsReportEndpointMetrics`]: unordered('every metric that is named is reported'),
  [`${cluster}Cluster.LbSubsetConfig.subsetSelectors`]: selectors,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.keys`]: subsetKeys,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.fallbackKeysSubset`]: subsetKeys,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.subsetSelectors': selectors,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.LbSubsetSelector.keys': subsetKeys,
  'envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost.overrideHostSources':
    fallbackInTurn,
  [`${endpoint}ClusterLoadAssignment.endpoints`]: {
    ...unordered(
      'a locality is known by its name and its priority, which says when it is used',
      ['locality', 'priority'],
      ['locality'],
    ),
    isKeyWhenEmpty: true,
  },
  [`${endpoint}LocalityLbEndpoints.lbEndpoints`]: endpoints,
  [`${endpoint}LocalityLbEndpoints.LbEndpointList.lbEndpoints`]: endpoints,
  [`${endpoint}Endpoint.additionalAddresses`]: {
    ...fallbackInTurn,
    keys: [['address']],
    reason: 'addresses of one endpoint are tried in turn',
  },
  [`${endpoint}ClusterLoadAssignment.Policy.dropOverloads`]: ordered(
    'drops are rolled one after the other: the first that hits is counted',
    ['category'],
  ),
  [`${core}ConfigSource.authorities`]: unordered('an authority is found by its name', ['name']),
  [`${core}ApiConfigSource.clusterNames`]: fallbackInTurn,
  [`${core}ApiConfigSource.grpcServices`]: {
    ...fallbackInTurn,
    like: [['googleGrpc.targetUri'], ['envoyGrpc.clusterName']],
  },
  [`${core}GrpcService.initialMetadata`]: orderedByKey(
    'lines of different header names do not meet; those of one name are added in turn',
    ['key'],
  ),
  [`${core}HealthCheck.HttpHealthCheck.requestHeadersToAdd`]: headersToAdd,
  [`${core}HealthCheck.HttpHealthCheck.expectedStatuses`]: anyMayMatch,
  [`${core}HealthCheck.HttpHealthCheck.retriableStatuses`]: anyMayMatch,
  [`${core}HealthCheck.TlsOptions.alpnProtocols`]: preferenceInTurn,
  [`${core}HealthStatusSet.statuses`]: anyMayMatch,
  [`${tls}TlsParameters.cipherSuites`]: preferenceInTurn,
  [`${tls}TlsParameters.ecdhCurves`]: preferenceInTurn,
  [`${tls}TlsParameters.signatureAlgorithms`]: preferenceInTurn,
  [`${tls}CommonTlsContext.alpnProtocols`]: preferenceInTurn,
  [`${tls}CommonTlsContext.tlsCertificateSdsSecretConfigs`]: secretsByName,
  [`${tls}CertificateValidationContext.verifyCertificateSpki`]: anyMayMatch,
  [`${tls}CertificateValidationContext.verifyCertificateHash`]: anyMayMatch,
  [`${tls}CertificateValidationContext.matchSubjectAltNames`]: anyMayMatch,
  [`${tls}CertificateValidationContext.matchTypedSubjectAltNames`]: anyMayMatch,
  [`${tls}SPIFFECertValidatorConfig.trustDomains`]: unordered('a trust domain is found by its name', [
    'name',
  ]),
};
