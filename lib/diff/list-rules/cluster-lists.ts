import type { ListRule, ListRules } from '../list-rule';
import { headersToAdd } from './route-lists';

const cluster = 'envoy.config.cluster.v3.';
const core = 'envoy.config.core.v3.';
const endpoint = 'envoy.config.endpoint.v3.';
const tls = 'envoy.extensions.transport_sockets.tls.v3.';

const endpoints: ListRule = {
  order: 'none',
  keys: [['endpoint.address'], ['endpointName']],
  reason: 'weight and health decide about an endpoint, not its place; pick_first alone tries them in turn',
};
const fallbackInTurn: ListRule = {
  order: 'all',
  keys: [],
  reason: 'a list to fall back along: the first that can be used is used',
};
const preferenceInTurn: ListRule = {
  order: 'all',
  keys: [],
  reason: 'the peers agree on what comes first',
};
const subsetKeys: ListRule = {
  order: 'none',
  keys: [],
  reason: 'the keys together choose the subset',
};
const selectors: ListRule = {
  order: 'none',
  keys: [['keys']],
  reason: 'a selector is found by its set of keys',
};
const thresholds: ListRule = {
  order: 'within-key',
  keys: [['priority']],
  isKeyWhenEmpty: true,
  reason: 'each priority has limits of its own; of several for one priority the first counts',
};
const anyMayMatch: ListRule = {
  order: 'none',
  keys: [],
  reason: 'one of them is enough, whichever it is',
};
const secretsByName: ListRule = {
  order: 'all',
  keys: [['name']],
  reason: 'of certificates that fit a client the first is used',
};

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
    order: 'all',
    keys: [['name']],
    like: [['match']],
    reason: 'the first match that an endpoint fits is used',
  },
  [`${cluster}Cluster.healthChecks`]: {
    order: 'none',
    keys: [],
    like: [['httpHealthCheck.path'], ['grpcHealthCheck.serviceName']],
    reason: 'an endpoint must pass all of them',
  },
  [`${cluster}Cluster.filters`]: {
    order: 'all',
    keys: [['name']],
    reason: 'filters run one after the other',
  },
  [`${cluster}Cluster.dnsResolvers`]: fallbackInTurn,
  [`${core}DnsResolutionConfig.resolvers`]: fallbackInTurn,
  [`${cluster}Cluster.lrsReportEndpointMetrics`]: {
    order: 'none',
    keys: [],
    reason: 'every metric that is named is reported',
  },
  [`${cluster}Cluster.LbSubsetConfig.subsetSelectors`]: selectors,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.keys`]: subsetKeys,
  [`${cluster}Cluster.LbSubsetConfig.LbSubsetSelector.fallbackKeysSubset`]: subsetKeys,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.subsetSelectors': selectors,
  'envoy.extensions.load_balancing_policies.subset.v3.Subset.LbSubsetSelector.keys': subsetKeys,
  'envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost.overrideHostSources':
    fallbackInTurn,
  [`${endpoint}ClusterLoadAssignment.endpoints`]: {
    order: 'none',
    keys: [['locality', 'priority'], ['locality']],
    isKeyWhenEmpty: true,
    reason: 'a locality is known by its name and its priority, which says when it is used',
  },
  [`${endpoint}LocalityLbEndpoints.lbEndpoints`]: endpoints,
  [`${endpoint}LocalityLbEndpoints.LbEndpointList.lbEndpoints`]: endpoints,
  [`${endpoint}Endpoint.additionalAddresses`]: {
    ...fallbackInTurn,
    keys: [['address']],
    reason: 'addresses of one endpoint are tried in turn',
  },
  [`${endpoint}ClusterLoadAssignment.Policy.dropOverloads`]: {
    order: 'all',
    keys: [['category']],
    reason: 'drops are rolled one after the other: the first that hits is counted',
  },
  [`${core}ConfigSource.authorities`]: {
    order: 'none',
    keys: [['name']],
    reason: 'an authority is found by its name',
  },
  [`${core}ApiConfigSource.clusterNames`]: fallbackInTurn,
  [`${core}ApiConfigSource.grpcServices`]: {
    ...fallbackInTurn,
    like: [['googleGrpc.targetUri'], ['envoyGrpc.clusterName']],
  },
  [`${core}GrpcService.initialMetadata`]: {
    order: 'within-key',
    keys: [['key']],
    reason: 'lines of different header names do not meet; those of one name are added in turn',
  },
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
  [`${tls}SPIFFECertValidatorConfig.trustDomains`]: {
    order: 'none',
    keys: [['name']],
    reason: 'a trust domain is found by its name',
  },
};
