import { type ListRule, type ListRules, ordered, orderedByKey, unordered } from '../list-rule';
import { anyMayMatch, headersToAdd } from './route-lists';

const cluster = 'envoy.config.cluster.v3.';
const core = 'envoy.config.core.v3.';
const endpoint = 'envoy.config.endpoint.v3.';
const tls = 'envoy.extensions.transport_sockets.tls.v3.';

const endpoints = unordered(
  'weights and health decide which endpoint is used; only pick_first tries endpoints in order',
  ['endpoint.address'],
  ['endpointName'],
);
const fallbackInTurn = ordered('the first usable element is used');
const preferenceInTurn = ordered('peers prefer earlier elements');
const subsetKeys = unordered('all keys together determine the subset');
const selectors = unordered('a selector is identified by its set of keys', ['keys']);
const thresholds: ListRule = {
  ...orderedByKey('each priority has its own limits; the first element of a priority is used', ['priority']),
  isKeyWhenEmpty: true,
};
const secretsByName = ordered('the first certificate that matches a client is used', ['name']);

export const clusterLists: ListRules = {
  'envoy.extensions.clusters.aggregate.v3.ClusterConfig.clusters': {
    ...fallbackInTurn,
    reason: 'traffic fails over from one cluster to the next in this order',
  },
  [`${cluster}LoadBalancingPolicy.policies`]: {
    ...fallbackInTurn,
    keys: [['typedExtensionConfig.typedConfig.@type', 'typedExtensionConfig.name']],
    reason: 'the first policy that the client supports is used',
  },
  [`${cluster}CircuitBreakers.thresholds`]: thresholds,
  [`${cluster}CircuitBreakers.perHostThresholds`]: thresholds,
  [`${cluster}Cluster.transportSocketMatches`]: {
    ...ordered('the first element that matches an endpoint is used', ['name']),
    like: [['match']],
  },
  [`${cluster}Cluster.healthChecks`]: {
    ...unordered('an endpoint must pass all of them'),
    like: [['httpHealthCheck.path'], ['grpcHealthCheck.serviceName']],
  },
  [`${cluster}Cluster.filters`]: ordered('filters run one after the other', ['name']),
  [`${cluster}Cluster.dnsResolvers`]: fallbackInTurn,
  [`${core}DnsResolutionConfig.resolvers`]: fallbackInTurn,
  [`${cluster}Cluster.lrsReportEndpointMetrics`]: unordered('every listed metric is reported'),
  [`${cluster}Cluster.LbSubsetConfig.subsetSelectors`]: selectors,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.keys`]: subsetKeys,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.fallbackKeysSubset`]: subsetKeys,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.subsetSelectors': selectors,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.LbSubsetSelector.keys': subsetKeys,
  'envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost.overrideHostSources':
    fallbackInTurn,
  [`${endpoint}ClusterLoadAssignment.endpoints`]: {
    ...unordered(
      'a locality is identified by its name and its priority, which determines when it is used',
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
    reason: 'the addresses of an endpoint are tried in order',
  },
  [`${endpoint}ClusterLoadAssignment.Policy.dropOverloads`]: ordered(
    'a dropped request counts for the first category that drops it',
    ['category'],
  ),
  [`${core}ConfigSource.authorities`]: unordered('an authority is identified by its name', ['name']),
  [`${core}ApiConfigSource.clusterNames`]: fallbackInTurn,
  [`${core}ApiConfigSource.grpcServices`]: {
    ...fallbackInTurn,
    like: [['googleGrpc.targetUri'], ['envoyGrpc.clusterName']],
  },
  [`${core}GrpcService.initialMetadata`]: orderedByKey(
    'values of one header are added in order; different headers are independent',
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
  [`${tls}SPIFFECertValidatorConfig.trustDomains`]: unordered('a trust domain is identified by its name', [
    'name',
  ]),
};
