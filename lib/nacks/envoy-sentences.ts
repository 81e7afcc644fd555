import { CDS, EDS, LDS, RDS, SDS } from '../xds/resource-type';
import type { FieldHint } from './nack-statement';

/** An error of Envoy beyond the constraints of the protos, and the field that it is about. */
interface EnvoySentence {
  /** Groups: `value` is the value of the field, `named` that of FieldHint, `resource` the name of the resource. */
  readonly pattern: RegExp;
  readonly typeUrl?: string;
  readonly fieldPath?: string;
  readonly hint?: FieldHint;
}

const { isArray } = Array;
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const sumOfWeights = (value: unknown): number => {
  const clusters = memberOf(value, 'clusters');
  if (!isArray(clusters)) return 0;
  return clusters.reduce((sum: number, each) => sum + Number(memberOf(each, 'weight') ?? 0), 0);
};
const rewrites = ['prefixRewrite', 'regexRewrite', 'pathRewritePolicy', 'pathRewrite'];
const isPseudo = (value: unknown): boolean => typeof value === 'string' && /^(?::|host$)/i.test(value);
const maxUint32 = 4_294_967_295;

export const envoySentences: readonly EnvoySentence[] = [
  // Names of responses.
  {
    pattern: /^Unexpected EDS cluster \(expecting \S+\): (?<resource>\S+)$/,
    typeUrl: EDS.typeUrl,
    fieldPath: 'clusterName',
  },
  {
    pattern: /^Unexpected RDS configuration \(expecting \S+\): (?<resource>\S+)$/,
    typeUrl: RDS.typeUrl,
    fieldPath: 'name',
  },
  {
    pattern: /^Unexpected SDS secret \(expecting \S+\): (?<resource>\S+)$/,
    typeUrl: SDS.typeUrl,
    fieldPath: 'name',
  },
  { pattern: /^duplicate cluster \S+ found/, typeUrl: CDS.typeUrl, fieldPath: 'name' },
  { pattern: /^duplicate listener \S+ found/, typeUrl: LDS.typeUrl, fieldPath: 'name' },
  // Extensions.
  {
    pattern: /^Didn't find a registered implementation for '(?<elementName>[^']*)' with type URL: '[^']*'/,
  },
  { pattern: /^Didn't find a registered [\w ]+ implementation for name: '(?<elementName>[^']*)'/ },
  { pattern: /^Didn't find a registered [\w ]+ implementation for type: '(?<message>[^']*)'/ },
  { pattern: /^Failed to get certificate validator factory for (?<elementName>\S+?)\.?$/ },
  { pattern: /^(?:Error: )?(?:non-)?terminal filter named (?<elementName>\S+) of type / },
  {
    pattern: /didn't find a registered load balancer factory implementation for cluster: /,
    fieldPath: 'loadBalancingPolicy',
  },
  { pattern: /^Unable to (?:unpack|parse) as (?<message>[\w.]+)/, hint: { matches: isOpaque } },
  // Files, addresses, durations.
  {
    pattern:
      /^(?:paths must refer to an existing path in the system: '|file |Invalid path: )(?<value>[^']+?)'? does not exist/,
  },
  { pattern: /^Invalid path: (?<value>\S+)$/ },
  { pattern: /^malformed IP address: (?<value>\S+?)(?:\.? |\.?$)/ },
  { pattern: /^Address must be set/, fieldPath: 'endpoint.address', hint: { isAbsent: true } },
  { pattern: /address is necessary/, typeUrl: LDS.typeUrl, fieldPath: 'address' },
  { pattern: /cannot bind '.*Cannot assign requested address/, fieldPath: 'address.socketAddress.address' },
  { pattern: /cannot bind '.*Permission denied/, fieldPath: 'address.socketAddress.portValue' },
  { pattern: /cannot bind '|has duplicate address '/, fieldPath: 'address.socketAddress' },
  // Routes.
  {
    pattern:
      /^Only unique values for domains are permitted\. Duplicate entry of domain (?<value>\S+)(?: in (?:virtual host|route)(?:\/route)? (?<resource>\S+?))?\.?$/s,
    typeUrl: RDS.typeUrl,
    fieldPath: 'virtualHosts[].domains[]',
    hint: { isLast: true },
  },
  {
    pattern: /^Only a single wildcard domain(?:.* in (?:route|virtual host) (?<resource>\S+?)\.?$)?/s,
    typeUrl: RDS.typeUrl,
    fieldPath: 'virtualHosts[].domains[]',
    hint: { value: '*', isLast: true },
  },
  {
    pattern: /^Only unique names for virtual hosts? are permitted\..* (?<value>\S+?)\.?$/,
    typeUrl: RDS.typeUrl,
    fieldPath: 'virtualHosts[].name',
    hint: { isLast: true },
  },
  { pattern: /^route: unknown cluster '(?<value>[^']*)'/, fieldPath: 'route.cluster' },
  {
    pattern: /^route: unknown weighted cluster '(?<value>[^']*)'/,
    fieldPath: 'weightedClusters.clusters[].name',
  },
  {
    pattern: /^route: unknown (?:shadow|mirror) cluster '(?<value>[^']*)'/,
    fieldPath: 'requestMirrorPolicies[].cluster',
  },
  {
    pattern: /^Sum of weights in the weighted_cluster /,
    fieldPath: 'weightedClusters',
    hint: { matches: (value) => sumOfWeights(value) === 0 },
  },
  {
    pattern: /^The sum of weights of all weighted clusters of route /,
    fieldPath: 'weightedClusters',
    hint: { matches: (value) => sumOfWeights(value) > maxUint32 },
  },
  { pattern: /^retry_policy\.max_interval must /, fieldPath: 'retryPolicy.retryBackOff.maxInterval' },
  {
    pattern: /^Specify only one of prefix_rewrite/,
    fieldPath: 'route',
    hint: {
      matches: (value) => rewrites.filter((name) => memberOf(value, name) !== undefined).length > 1,
    },
  },
  {
    pattern: /^Duplicate upgrade (?<value>\S+?)\.?$/,
    fieldPath: 'upgradeConfigs[].upgradeType',
    hint: { isLast: true },
  },
  {
    pattern: /multiple upgrade configs with the same name: '(?<value>[^']*)'/,
    fieldPath: 'upgradeConfigs[].upgradeType',
    hint: { isLast: true },
  },
  { pattern: /headers may not be modified/, fieldPath: 'header.key', hint: { matches: isPseudo } },
  {
    pattern: /headers may not be removed/,
    fieldPath: 'requestHeadersToRemove[]',
    hint: { matches: isPseudo },
  },
  { pattern: /^Not supported field in StreamInfo: (?<command>\S+)/ },
  {
    pattern:
      /^(?:missing [\])]|no argument for repetition operator|bad repetition operator|invalid [\w ]+|unexpected \)|trailing \\[^:]*): (?<value>.*)$/s,
    fieldPath: 'regex',
  },
  // Clusters.
  { pattern: /^ring hash: minimum_ring_size /, fieldPath: 'minimumRingSize' },
  { pattern: /^The table size of maglev must be prime/, fieldPath: 'tableSize' },
  { pattern: /clusters must NOT have a custom resolver name set/, fieldPath: 'resolverName' },
  { pattern: /^\S+ clusters must have a single host/, fieldPath: 'loadAssignment' },
  {
    pattern: /^\S+ clusters must have a single locality_lb_endpoint/,
    fieldPath: 'loadAssignment.endpoints[].lbEndpoints',
    hint: { matches: (value) => isArray(value) && value.length > 1 },
  },
  { pattern: /cluster provided LB specified but cluster /, fieldPath: 'lbPolicy' },
  { pattern: /^eds_cluster_config set in a non-EDS cluster/, fieldPath: 'edsClusterConfig' },
  { pattern: /^cannot create an EDS cluster without an EDS config/, fieldPath: 'edsClusterConfig' },
  { pattern: /^Cluster drop_overloads config /, fieldPath: 'policy.dropOverloads' },
  { pattern: /^The sum of weights of all endpoints in the locality/, fieldPath: 'endpoints[].lbEndpoints' },
  // Listeners.
  { pattern: /no filter chains specified/, typeUrl: LDS.typeUrl, fieldPath: 'filterChains' },
  {
    pattern: /filter chain '(?<elementName>[^']*)' has the same matching rules defined as/,
    typeUrl: LDS.typeUrl,
    fieldPath: 'filterChainMatch',
  },
  { pattern: /^script load error: \[string "(?<value>[^"]*?)(?:\.\.\.)?"\]/ },
  { pattern: /^Required provider \['(?<value>[^']*)'\] is not configured/, fieldPath: 'providerName' },
  {
    pattern: /^An RDS config must have either a 'config_source' or /,
    fieldPath: 'rds.configSource',
    hint: { isAbsent: true },
  },
  // Certificates.
  // The value is redacted.
  { pattern: /private key from path: \S+$/, fieldPath: 'privateKey.filename' },
  {
    pattern: /^Failed to load incomplete private key from path$/,
    fieldPath: 'tlsCertificate.privateKey',
    hint: { isAbsent: true },
  },
  { pattern: /^unable to add filesystem watch for file (?<value>\S+): / },
  { pattern: /^No TLS certificates found for server context/, hint: { message: 'DownstreamTlsContext' } },
  { pattern: /^Failed to load certificate chain from (?!<inline>)(?<value>\S+?),?(?: |$)/ },
  { pattern: /^Failed to load certificate chain from <inline>/, fieldPath: 'certificateChain' },
  { pattern: /certificate chain not set/, fieldPath: 'tlsCertificate.certificateChain' },
  { pattern: /^Failed to load (?:incomplete )?private key from (?!<inline>)(?<value>\S+?),?(?: |$)/ },
  { pattern: /^Failed to load (?:incomplete )?private key from <inline>/, fieldPath: 'privateKey' },
  { pattern: /^Failed to load trusted CA certificates from <inline>/, fieldPath: 'trustedCa' },
  { pattern: /^Failed to load CRL from <inline>/, fieldPath: 'crl' },
  { pattern: /^Invalid hex-encoded SHA-256 (?<value>\S+)/ },
  { pattern: /^Failed to initialize cipher suites /, fieldPath: 'cipherSuites' },
  { pattern: /^Failed to initialize ECDH curves /, fieldPath: 'ecdhCurves' },
];

function isOpaque(value: unknown): boolean {
  return memberOf(value, 'xdscope.opaque') !== undefined;
}
