import { CDS } from '../../xds/resource-type';
import { clusterProvided } from '../cluster/known-policies';
import { configsOf } from '../cluster/walk-policies';
import { durationSeconds } from '../duration';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import { nackBy, react } from '../reactions';
import { type Report, type Rule, rulesOf } from '../rule';
import { checkPipe } from './listener-rules';
import { measured, ruleOfMessages } from './messages/rule-of-messages';
import { transportSocketsOf } from './transport-sockets';

const cluster = rulesOf(CDS.typeUrl);
const httpOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const forwardProxy = 'envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig';
const dnsCluster = 'envoy.extensions.clusters.dns.v3.DnsCluster';
const quic = 'envoy.extensions.transport_sockets.quic.v3.QuicUpstreamTransport';
const tls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

/** Conditions on the discovery, the protocols and the TLS of clusters that are no constraints of the protos. */
export const envoyUpstreamRules: readonly Rule[] = [
  cluster(
    'ENVOY-original-dst',
    'A cluster of the type ORIGINAL_DST has the policy CLUSTER_PROVIDED and no endpoints',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      if (resource.at('clusterType').exists || resource.at('type').text !== 'ORIGINAL_DST') return;
      const policy = resource.at('lbPolicy');
      if (policy.text !== 'CLUSTER_PROVIDED')
        report({
          field: policy,
          expected: 'CLUSTER_PROVIDED',
          got: policy.exists ? policy.show() : 'ROUND_ROBIN (unset)',
        });
      const load = resource.at('loadAssignment');
      if (load.exists) report({ field: load, expected: 'none: the type is ORIGINAL_DST' });
      const subset = resource.at('lbSubsetConfig');
      if (subset.in('subsetSelectors').items().length > 0)
        report({ field: subset, expected: 'none: the policy is CLUSTER_PROVIDED' });
      const config = resource.at('originalDstLbConfig');
      const name = config.at('httpHeaderName');
      if (name.text !== '' && !config.at('useHttpHeader').isTrue)
        report({ field: name, expected: 'no name without useHttpHeader' });
    },
  ),
  cluster(
    'ENVOY-forward-proxy',
    'A dynamic forward proxy cluster has the policy CLUSTER_PROVIDED',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      const config = resource.in('clusterType', 'typedConfig');
      if (config.typeName !== forwardProxy) return;
      const [newer] = configsOf(resource.at('loadBalancingPolicy'));
      const field = newer ?? resource.at('lbPolicy');
      if ((newer?.typeName ?? field.text) !== (newer ? clusterProvided : 'CLUSTER_PROVIDED'))
        report({
          field,
          expected: 'CLUSTER_PROVIDED',
          got: field.exists ? field.show() : 'ROUND_ROBIN (unset)',
        });
      const inner = config.in('subClustersConfig', 'lbPolicy');
      if (['CLUSTER_PROVIDED', 'LOAD_BALANCING_POLICY_CONFIG'].includes(inner.text))
        report({ field: inner, expected: 'a policy for sub-clusters' });
    },
  ),
  cluster(
    'ENVOY-dns',
    'A DNS cluster has the addresses and refresh rates of its type',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      const rate = resource.at('dnsFailureRefreshRate');
      const max = rate.at('maxInterval');
      if (max.exists && durationSeconds(max) < durationSeconds(rate.at('baseInterval')))
        report({ field: max, expected: 'at least baseInterval' });
      for (const resolver of resource.at('dnsResolvers').items()) {
        const address = resolver.in('socketAddress', 'address');
        if (address.text !== '' && !isIpAddress(address.text))
          report({ field: address, expected: 'an IP address' });
      }
      const config = resource.in('clusterType', 'typedConfig');
      const isLogical = config.typeName === dnsCluster && config.at('allAddressesInSingleEndpoint').isTrue;
      const count = socketsOf(resource).length;
      if (isLogical && count !== 1)
        report({
          field: resource.at('loadAssignment'),
          expected: 'exactly one endpoint',
          got: String(count),
        });
      if (resource.at('clusterType').exists || !/_DNS$/.test(resource.at('type').text)) return;
      for (const socket of socketsOf(resource)) {
        const resolver = socket.at('resolverName');
        if (resolver.text !== '') report({ field: resolver, expected: 'none: the type is a DNS type' });
      }
    },
  ),
  cluster(
    'ENVOY-protocols',
    'The HTTP protocols of a cluster fit its transport sockets',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      for (const [key, options] of resource.at('typedExtensionProtocolOptions').entries()) {
        if (options.typeName !== httpOptions) continue;
        if (key !== httpOptions)
          report({ field: options.withValue(key), expected: `the key ${httpOptions}` });
        checkProtocols(resource, options, report);
      }
      const old = resource.at('httpProtocolOptions');
      const isOpen = !['USE_DOWNSTREAM_PROTOCOL'].includes(resource.at('protocolSelection').text);
      if (old.exists && resource.at('http2ProtocolOptions').exists && isOpen && !hasOptions(resource))
        report({ field: old, expected: 'no value beside http2ProtocolOptions' });
      for (const limits of resource.in('circuitBreakers', 'perHostThresholds').items()) {
        const other = limits.names().find((name) => name !== 'maxConnections' && name !== 'priority');
        if (other !== undefined)
          report({ field: limits.at(other), expected: 'no value: maxConnections alone' });
      }
    },
  ),
  cluster(
    'ENVOY-subsets',
    'The selectors of subset load balancing are consistent',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      const config = resource.at('lbSubsetConfig');
      for (const selector of config.at('subsetSelectors').items()) {
        if (selector.at('fallbackPolicy').text !== 'KEYS_SUBSET') continue;
        const keys = new Set(
          selector
            .at('keys')
            .items()
            .map(({ text }) => text),
        );
        const field = selector.at('fallbackKeysSubset');
        const subset = new Set(field.items().map(({ text }) => text));
        const isProper =
          subset.size > 0 && subset.size < keys.size && [...subset].every((key) => keys.has(key));
        if (!isProper) report({ field, expected: 'some of the keys, but not all' });
      }
      const aware = config.at('localityWeightAware');
      if (aware.isTrue && !resource.in('commonLbConfig', 'localityWeightedLbConfig').exists)
        report({ field: aware, expected: 'false without localityWeightedLbConfig' });
    },
  ),
  cluster(
    'ENVOY-alpn',
    'The ALPN protocols and the SNI of a cluster are valid',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      for (const { typedConfig, common } of tlsOf(resource)) {
        const certificates = ['tlsCertificates', 'tlsCertificateSdsSecretConfigs'].flatMap((name) =>
          common.at(name).items(),
        );
        if (certificates.length > 1)
          report({ field: common, expected: 'at most one certificate', got: String(certificates.length) });
        if (usesSds(common)) continue;
        const names = common.at('alpnProtocols');
        // Envoy joins the protocols with commas, and reads the result again.
        for (const name of names.items()) {
          if (name.text.includes(',') && name.text.split(',').includes(''))
            report({
              field: name,
              expected: 'a protocol between commas',
              reactions: react({ crash: ['envoy'] }),
            });
          for (const each of name.text.split(','))
            if (each.length > 255)
              report({ field: name, expected: 'at most 255 characters', got: `${each.length} characters` });
        }
        const size = names.items().reduce((sum, { text }) => sum + text.length + 1, 0);
        if (size >= 65_536) report({ field: names, expected: 'less than 65,536 bytes', got: String(size) });
        const sni = typedConfig.at('sni');
        if (sni.text.includes('\0')) report({ field: sni, expected: 'a name without a zero byte' });
        const validation = typedConfig.at('autoSniSanValidation');
        const contexts = [
          'validationContext',
          'validationContextSdsSecretConfig',
          'combinedValidationContext',
        ];
        if (validation.isTrue && !contexts.some((name) => common.at(name).exists))
          report({ field: validation, expected: 'false without a validation context' });
      }
    },
  ),
  cluster(
    'ENVOY-bind',
    'The source addresses of a cluster are IP addresses',
    measured,
    nackBy('envoy'),
    (resource, report) => {
      const address = resource.in('upstreamBindConfig', 'sourceAddress', 'address');
      if (address.text !== '' && !isIpAddress(address.text))
        report({ field: address, expected: 'an IP address' });
    },
  ),
  ruleOfMessages(
    'ENVOY-endpoint-pipe',
    'The path of the Unix domain socket of an endpoint is short enough',
    ['envoy.config.endpoint.v3.Endpoint'],
    (endpoint, report) => {
      checkPipe(endpoint.in('address', 'pipe'), report);
      const address = endpoint.in('healthCheckConfig', 'address', 'socketAddress', 'address');
      if (address.text !== '' && !isIpAddress(address.text))
        report({ field: address, expected: 'an IP address' });
    },
  ),
  ruleOfMessages(
    'ENVOY-subset-policy',
    'A subset policy has a child policy that Envoy knows',
    ['envoy.config.cluster.v3.LoadBalancingPolicy'],
    (policy, report) => {
      const [first] = policy.at('policies').items();
      const config = first?.in('typedExtensionConfig', 'typedConfig');
      if (config?.typeName !== 'envoy.extensions.load_balancing_policies.subset.v3.Subset') return;
      const children = config.in('subsetLbPolicy', 'policies');
      const isKnown = children
        .items()
        .some((child) =>
          child
            .in('typedExtensionConfig', 'typedConfig')
            .typeName.startsWith('envoy.extensions.load_balancing_policies.'),
        );
      if (!isKnown) report({ field: children, expected: 'a policy that Envoy knows' });
    },
  ),
];

function socketsOf(resource: Field): Field[] {
  return resource
    .in('loadAssignment', 'endpoints')
    .items()
    .flatMap((locality) => locality.at('lbEndpoints').items())
    .map((endpoint) => endpoint.in('endpoint', 'address', 'socketAddress'));
}

function hasOptions(resource: Field): boolean {
  return resource
    .at('typedExtensionProtocolOptions')
    .entries()
    .some(([, options]) => options.typeName === httpOptions);
}

function checkProtocols(resource: Field, options: Field, report: Report): void {
  const auto = options.at('autoConfig');
  const socket = resource.in('transportSocket', 'typedConfig');
  const isQuic = socket.typeName === quic;
  const hasHttp3 = (name: string) => options.in(name, 'http3ProtocolOptions').exists;
  // Envoy chooses between HTTP/1.1 and HTTP/2 by ALPN.
  if (auto.exists && !isQuic && socket.typeName !== tls && isKnownSocket(socket))
    report({ field: auto, expected: 'another config: the transport socket has no ALPN' });
  if (auto.exists && hasHttp3('autoConfig') && !auto.at('alternateProtocolsCacheOptions').exists)
    report({ field: auto.at('alternateProtocolsCacheOptions'), expected: 'options of the cache for HTTP/3' });
  for (const name of ['explicitHttpConfig', 'autoConfig'])
    if (hasHttp3(name) && !isQuic)
      report({
        field: options.in(name, 'http3ProtocolOptions'),
        expected: 'no HTTP/3: the transport socket is not QUIC',
      });
  const filters = options.at('httpFilters').items();
  const last = filters.at(-1)?.at('typedConfig');
  if (
    last?.typeName.startsWith('envoy.') &&
    !/\.(?:upstream_codec|dynamic_modules|composite|match_delegate)\./.test(last.typeName)
  )
    report({ field: last, expected: 'the upstream codec as last filter', got: last.typeName });
}

function isKnownSocket(config: Field): boolean {
  return !config.exists || config.typeName.endsWith('.raw_buffer.v3.RawBuffer');
}

/** Envoy creates such a TLS context when it has the secrets, after its answer. */
function usesSds(common: Field): boolean {
  const names = [
    'tlsCertificateSdsSecretConfigs',
    'validationContextSdsSecretConfig',
    'combinedValidationContext',
  ];
  return names.some((name) => common.at(name).exists);
}

function tlsOf(resource: Field): { readonly typedConfig: Field; readonly common: Field }[] {
  return transportSocketsOf(resource, CDS.typeUrl)
    .map((socket) => socket.at('typedConfig'))
    .filter((config) => config.typeName === tls && !config.isTypedStruct)
    .map((typedConfig) => ({ typedConfig, common: typedConfig.at('commonTlsContext') }));
}
