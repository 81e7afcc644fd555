import { CDS } from '@/lib/xds/resource-type';
import { ads, any, casesOf, garbage, socket, unknown, unknownCause } from './case';

const of = casesOf(CDS, 'tested');
const required = 'value is required';
const length1 = 'value length must be at least 1 characters';
const tls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

const endpoint = (address: object) => ({ endpoint: { address } });
const assigned = (...addresses: object[]) => ({
  clusterName: 'tested',
  endpoints: [{ lbEndpoints: addresses.map(endpoint) }],
});
const cluster = (change: object = {}) => ({
  name: 'tested',
  type: 'STATIC',
  connectTimeout: '1s',
  loadAssignment: assigned(socket()),
  ...change,
});
const check = { timeout: '1s', interval: '1s', unhealthyThreshold: 1, healthyThreshold: 1 };
const http = { httpHealthCheck: { path: '/' } };
const withTls = (common: object) =>
  cluster({ transportSocket: { name: 'tls', typedConfig: any(tls, { commonTlsContext: common }) } });
const context = 'transportSocket.typedConfig.commonTlsContext';
const http1 = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const path = 'loadAssignment.endpoints[0].lbEndpoints';

export const cdsCases = [
  of('no name', cluster({ name: '' }), 'name', length1),
  of(
    'connect timeout of 0',
    cluster({ connectTimeout: '0s' }),
    'connectTimeout',
    'value must be greater than 0s',
  ),
  of(
    'undefined policy',
    cluster({ lbPolicy: 77 }),
    'lbPolicy',
    'value must be one of the defined enum values',
  ),
  of(
    'minimum ring size too large',
    cluster({ lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: '99999999' } }),
    'ringHashLbConfig.minimumRingSize',
    'value must be less than or equal to 8388608',
  ),
  of(
    'minimum ring size above the maximum',
    cluster({
      lbPolicy: 'RING_HASH',
      ringHashLbConfig: { minimumRingSize: '2000', maximumRingSize: '1000' },
    }),
    'ringHashLbConfig.minimumRingSize',
    'ring hash: minimum_ring_size (2000) > maximum_ring_size (1000)',
  ),
  of(
    'table size that is no prime',
    cluster({ lbPolicy: 'MAGLEV', maglevLbConfig: { tableSize: '100' } }),
    'maglevLbConfig.tableSize',
    'The table size of maglev must be prime number',
  ),
  of(
    'one choice',
    cluster({ lbPolicy: 'LEAST_REQUEST', leastRequestLbConfig: { choiceCount: 1 } }),
    'leastRequestLbConfig.choiceCount',
    'value must be greater than or equal to 2',
  ),
  of(
    'LOGICAL_DNS without endpoints',
    cluster({ type: 'LOGICAL_DNS', loadAssignment: undefined }),
    'loadAssignment',
    'LOGICAL_DNS clusters must have a single host',
  ),
  of(
    'LOGICAL_DNS with two endpoints',
    cluster({ type: 'LOGICAL_DNS', loadAssignment: assigned(socket('a.test'), socket('b.test')) }),
    path,
    'LOGICAL_DNS clusters must have a single locality_lb_endpoint and a single lb_endpoint',
  ),
  of(
    'LOGICAL_DNS with a resolver name',
    cluster({
      type: 'LOGICAL_DNS',
      loadAssignment: assigned({ socketAddress: { address: 'a.test', portValue: 9, resolverName: 'acme' } }),
    }),
    `${path}[0].endpoint.address.socketAddress.resolverName`,
    'LOGICAL_DNS clusters must NOT have a custom resolver name set',
  ),
  of(
    'host name in a STATIC cluster',
    cluster({ loadAssignment: assigned(socket(), socket('nowhere.test')) }),
    `${path}[1].endpoint.address.socketAddress.address`,
    "malformed IP address: nowhere.test. Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'",
  ),
  of(
    'endpoint without address',
    cluster({
      loadAssignment: {
        clusterName: 'tested',
        endpoints: [{ lbEndpoints: [endpoint(socket()), { endpoint: {} }] }],
      },
    }),
    `${path}[1].endpoint.address`,
    "Address must be set: . Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'",
  ),
  of(
    'port above the maximum',
    cluster({ loadAssignment: assigned(socket('127.0.0.1', 70000)) }),
    `${path}[0].endpoint.address.socketAddress.portValue`,
    'value must be less than or equal to 65535',
  ),
  of(
    'empty address',
    cluster({ loadAssignment: assigned(socket('')) }),
    `${path}[0].endpoint.address.socketAddress.address`,
    length1,
  ),
  of(
    'EDS config in a STATIC cluster',
    cluster({ edsClusterConfig: { edsConfig: ads } }),
    'edsClusterConfig',
    'eds_cluster_config set in a non-EDS cluster',
  ),
  of(
    'EDS without config',
    cluster({ type: 'EDS', loadAssignment: undefined }),
    'edsClusterConfig',
    'cannot create an EDS cluster without an EDS config',
  ),
  of(
    'EDS by a missing file',
    cluster({
      type: 'EDS',
      loadAssignment: undefined,
      edsClusterConfig: {
        edsConfig: { pathConfigSource: { path: '/nowhere/eds.yaml' }, resourceApiVersion: 'V3' },
      },
    }),
    'edsClusterConfig.edsConfig.pathConfigSource.path',
    "paths must refer to an existing path in the system: '/nowhere/eds.yaml' does not exist",
  ),
  of(
    'health check without timeout',
    cluster({
      healthChecks: [
        { ...check, ...http },
        { ...check, ...http, timeout: undefined },
      ],
    }),
    'healthChecks[1].timeout',
    required,
  ),
  of(
    'health check with an interval of 0',
    cluster({ healthChecks: [{ ...check, ...http, interval: '0s' }] }),
    'healthChecks[0].interval',
    'value must be greater than 0s',
  ),
  of(
    'health check without threshold',
    cluster({ healthChecks: [{ ...check, ...http, unhealthyThreshold: undefined }] }),
    'healthChecks[0].unhealthyThreshold',
    required,
  ),
  of(
    'health check without checker',
    cluster({ healthChecks: [check] }),
    'healthChecks[0].healthChecker',
    'is required',
  ),
  of(
    'health check without path',
    cluster({ healthChecks: [{ ...check, httpHealthCheck: {} }] }),
    'healthChecks[0].httpHealthCheck.path',
    length1,
  ),
  of(
    'unknown health checker',
    cluster({
      healthChecks: [{ ...check, customHealthCheck: unknown('check') }],
    }),
    'healthChecks[0].customHealthCheck',
    unknownCause('check'),
  ),
  of(
    'negative interval',
    cluster({ outlierDetection: { interval: '-1s' } }),
    'outlierDetection.interval',
    'Invalid duration: Expected positive duration: seconds: -1',
  ),
  of(
    'interval of 0',
    cluster({ outlierDetection: { interval: '0s' } }),
    'outlierDetection.interval',
    'value must be greater than 0s',
  ),
  of(
    'ejection percentage above 100',
    cluster({ outlierDetection: { maxEjectionPercent: 101 } }),
    'outlierDetection.maxEjectionPercent',
    'value must be less than or equal to 100',
  ),
  of(
    'undefined priority',
    cluster({ circuitBreakers: { thresholds: [{}, { priority: 9 }] } }),
    'circuitBreakers.thresholds[1].priority',
    'value must be one of the defined enum values',
  ),
  of(
    'CLUSTER_PROVIDED in a STATIC cluster',
    cluster({ lbPolicy: 'CLUSTER_PROVIDED' }),
    'lbPolicy',
    "cluster manager: cluster provided LB specified but cluster 'tested' did not provide one. Check cluster documentation.",
  ),
  of(
    'no policy',
    cluster({ loadBalancingPolicy: {} }),
    'loadBalancingPolicy',
    "cluster: didn't find a registered load balancer factory implementation for cluster: 'tested' with names from []",
  ),
  of(
    'unknown policy',
    cluster({
      loadBalancingPolicy: {
        policies: [{ typedExtensionConfig: unknown('lb') }],
      },
    }),
    'loadBalancingPolicy',
    "cluster: didn't find a registered load balancer factory implementation for cluster: 'tested' with names from [acme.lb]",
  ),
  of(
    'unknown transport socket',
    cluster({ transportSocket: unknown('socket') }),
    'transportSocket',
    unknownCause('socket'),
  ),
  of(
    'QUIC without TLS',
    cluster({
      transportSocket: {
        name: 'quic',
        typedConfig: any('envoy.extensions.transport_sockets.quic.v3.QuicUpstreamTransport'),
      },
    }),
    'transportSocket.typedConfig.upstreamTlsContext',
    required,
  ),
  of(
    'undecodable TLS context',
    cluster({ transportSocket: { name: 'tls', typedConfig: garbage(tls) } }),
    'transportSocket.typedConfig',
    `Unable to unpack as ${tls}`,
  ),
  of(
    'missing certificate file',
    withTls({
      tlsCertificates: [
        { certificateChain: { filename: '/nowhere/cert.pem' }, privateKey: { filename: '/nowhere/key.pem' } },
      ],
    }),
    `${context}.tlsCertificates[0].privateKey.filename`,
    'Failed to load incomplete private key from path: /nowhere/key.pem',
  ),
  of(
    'invalid certificate',
    withTls({
      tlsCertificates: [
        { certificateChain: { inlineString: 'no certificate' }, privateKey: { inlineString: 'no key' } },
      ],
    }),
    `${context}.tlsCertificates[0].certificateChain`,
    'Failed to load certificate chain from <inline>',
  ),
  of(
    'invalid authority',
    withTls({ validationContext: { trustedCa: { inlineString: 'no certificate' } } }),
    `${context}.validationContext.trustedCa`,
    'Failed to load trusted CA certificates from <inline>',
  ),
  of(
    'unknown cipher suite',
    withTls({ tlsParams: { cipherSuites: ['NOPE'] } }),
    `${context}.tlsParams.cipherSuites`,
    'Failed to initialize cipher suites NOPE. The following ciphers were rejected when tried individually: NOPE',
  ),
  of(
    'unknown curve',
    withTls({ tlsParams: { ecdhCurves: ['P-NOPE'] } }),
    `${context}.tlsParams.ecdhCurves`,
    'Failed to initialize ECDH curves P-NOPE',
  ),
  of(
    'empty aggregate',
    cluster({
      type: undefined,
      loadAssignment: undefined,
      lbPolicy: 'CLUSTER_PROVIDED',
      clusterType: {
        name: 'envoy.clusters.aggregate',
        typedConfig: any('envoy.extensions.clusters.aggregate.v3.ClusterConfig'),
      },
    }),
    'clusterType.typedConfig.clusters',
    'value must contain at least 1 item(s)',
  ),
  of(
    'unknown cluster type',
    cluster({
      type: undefined,
      loadAssignment: undefined,
      clusterType: unknown('cluster'),
    }),
    'clusterType.typedConfig',
    "Didn't find a registered cluster factory implementation for type: 'acme.cluster.Config'",
  ),
  of(
    'undefined DNS family',
    cluster({ dnsLookupFamily: 77 }),
    'dnsLookupFamily',
    'value must be one of the defined enum values',
  ),
  of(
    'DNS refresh rate of 0',
    cluster({ dnsRefreshRate: '0s' }),
    'dnsRefreshRate',
    'value must be greater than 1ms',
  ),
  of(
    'protocol options without protocol',
    cluster({ typedExtensionProtocolOptions: { [http1]: any(http1) } }),
    `typedExtensionProtocolOptions["${http1}"].upstreamProtocolOptions`,
    'is required',
  ),
  of(
    'window size below the minimum',
    cluster({
      typedExtensionProtocolOptions: {
        [http1]: any(http1, { explicitHttpConfig: { http2ProtocolOptions: { initialStreamWindowSize: 1 } } }),
      },
    }),
    `typedExtensionProtocolOptions["${http1}"].explicitHttpConfig.http2ProtocolOptions.initialStreamWindowSize`,
    'value must be inside range [65535, 2147483647]',
  ),
  of(
    'unknown protocol options',
    cluster({ typedExtensionProtocolOptions: { 'acme.options': unknown('options').typedConfig } }),
    'typedExtensionProtocolOptions["acme.options"]',
    "Didn't find a registered network or http filter or protocol options implementation for name: 'acme.options'",
  ),
  of(
    'panic threshold above 100',
    cluster({ commonLbConfig: { healthyPanicThreshold: { value: 101 } } }),
    'commonLbConfig.healthyPanicThreshold.value',
    'value must be inside range [0, 100]',
  ),
  of(
    'preconnect ratio above the maximum',
    cluster({ preconnectPolicy: { perUpstreamPreconnectRatio: 5 } }),
    'preconnectPolicy.perUpstreamPreconnectRatio',
    'value must be inside range [1, 3]',
  ),
  of(
    'priority above the maximum',
    cluster({ loadAssignment: { clusterName: 'tested', endpoints: [{ priority: 200 }] } }),
    'loadAssignment.endpoints[0].priority',
    'value must be less than or equal to 128',
  ),
  of(
    'unknown network filter',
    cluster({ filters: [unknown('filter')] }),
    'filters[0]',
    unknownCause('filter'),
  ),
  of(
    'transport socket match without name',
    cluster({ transportSocketMatches: [{ name: '', match: {} }] }),
    'transportSocketMatches[0].name',
    length1,
  ),
  of(
    'unknown DNS resolver',
    cluster({
      type: 'STRICT_DNS',
      typedDnsResolverConfig: unknown('dns'),
    }),
    'typedDnsResolverConfig',
    unknownCause('dns'),
  ),
  of('twice in one response', cluster(), 'name', 'duplicate cluster tested found', { isTwice: true }),
  of('undecodable bytes', cluster(), '', 'Unable to unpack as envoy.config.cluster.v3.Cluster', {
    isUndecodable: true,
  }),
];
