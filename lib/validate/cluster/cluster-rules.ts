import { before, profileSet, since, type Who } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import { durationText, isDuration, isJavaDuration, javaDurationText } from '../duration';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import { grpcNack, ignoredBy, javaThrows, nackBy, noNacks, react } from '../reactions';
import { type Report, type Rule, rulesOf } from '../rule';

const rule = rulesOf(CDS.typeUrl);

const httpOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const audience = 'envoy.extensions.filters.http.gcp_authn.v3.Audience';
const address = 'envoy.config.core.v3.Address';

export const clusterRules: readonly Rule[] = [
  rule(
    'C9',
    'lrs_server is the management server itself',
    'gRFC A27: load reports',
    grpcNack,
    (cluster, report) => {
      const server = cluster.at('lrsServer');
      if (!server.exists || server.at('self').exists) return;
      // grpc-java does not read it of an aggregate cluster.
      const skippedBy = profileSet(...(cluster.at('clusterType').exists ? (['java'] as const) : []));
      report({ field: server, expected: 'self', skippedBy });
    },
  ),
  rule(
    'C11',
    'Circuit breaker thresholds are valid',
    'gRFC A32, A105: circuit breakers',
    noNacks,
    (cluster, report) => {
      const breakers = cluster.at('circuitBreakers');
      for (const threshold of breakers.at('perHostThresholds').items()) {
        const connections = threshold.at('maxConnections');
        if (connections.exists && connections.numberOr(0) === 0)
          report({
            field: connections,
            expected: 'at least 1',
            reactions: ignoredBy('core', 'go', 'java', 'node'),
            note: 'Clients with gRFC A105 NACK it.',
          });
      }
      const defaults = breakers
        .at('thresholds')
        .items()
        .filter((threshold) => ['', 'DEFAULT'].includes(threshold.at('priority').text));
      for (const extra of defaults.slice(1))
        report({
          field: extra,
          expected: 'one threshold for priority DEFAULT',
          reactions: ignoredBy('core', 'go', 'java'),
          note: 'C-core and grpc-go use the first, grpc-js-xds the last.',
        });
    },
  ),
  rule(
    'C12',
    'The numbers of outlier detection are valid',
    'gRFC A50: outlier detection',
    grpcNack,
    (cluster, report) => {
      const detection = cluster.at('outlierDetection');
      for (const name of ['interval', 'baseEjectionTime', 'maxEjectionTime']) {
        const duration = detection.at(name);
        if (!isDuration(duration)) report({ field: duration, expected: durationText });
        else if (!isJavaDuration(duration))
          report({ field: duration, expected: javaDurationText, reactions: javaThrows });
      }
      for (const name of [
        'maxEjectionPercent',
        'enforcingSuccessRate',
        'failurePercentageThreshold',
        'enforcingFailurePercentage',
      ]) {
        const percent = detection.at(name);
        // C-core compares the wrong variable for the threshold and therefore accepts every value.
        const readers: Who[] =
          name === 'failurePercentageThreshold' ? ['go', 'node'] : ['core', 'go', 'node'];
        // grpc-java reads a number of 2^31 or more as a negative one.
        if (percent.numberOr(0) < 2 ** 31) readers.push('java');
        if (percent.numberOr(0) > 100)
          report({ field: percent, expected: 'at most 100', reactions: nackBy(...readers) });
      }
    },
  ),
  rule(
    'C13',
    'The idle timeout of connections is valid',
    'gRFC A75: idle timeout',
    noNacks,
    (cluster, report) => {
      const config = cluster.in('upstreamConfig', 'typedConfig');
      if (!cluster.at('upstreamConfig').exists) return;
      const reactions = react({
        NACK: since('core-1.56'),
        ignore: [...before('core-1.56'), 'go', 'java', 'node'],
      });
      if (config.typeName !== httpOptions)
        report({
          field: config,
          expected: httpOptions,
          got: config.typeName || 'nothing',
          reactions,
        });
      else if (config.unreadable !== undefined)
        report({
          field: config,
          expected: `a readable ${httpOptions}`,
          got: config.unreadable,
          reactions: nackBy(...since('core-1.56')),
        });
      const idle = config.in('commonHttpProtocolOptions', 'idleTimeout');
      if (!isDuration(idle))
        report({ field: idle, expected: durationText, reactions: nackBy(...since('core-1.56'), 'envoy') });
    },
  ),
  rule(
    'C14',
    'Statuses of override_host_status are UNKNOWN, HEALTHY or DRAINING',
    'gRFC A55: override_host_status',
    ignoredBy('core', 'go', 'java', 'node'),
    (cluster, report) => {
      for (const status of cluster.in('commonLbConfig', 'overrideHostStatus', 'statuses').items()) {
        if (!['UNKNOWN', 'HEALTHY', 'DRAINING'].includes(status.text))
          report({ field: status, expected: 'UNKNOWN, HEALTHY or DRAINING, else it is left out' });
      }
    },
  ),
  rule(
    'C15',
    'Typed metadata of a known type can be decoded',
    'gRFC A83, A86: typed metadata',
    nackBy(...since('core-1.73'), ...since('java-1.76')),
    (cluster, report) => {
      for (const [, value] of cluster.in('metadata', 'typedFilterMetadata').entries())
        checkMetadata(value, report);
    },
  ),
];

/** Only registered metadata types are validated; clients ignore the others. */
function checkMetadata(value: Field, report: Report): void {
  if (value.typeName !== audience && value.typeName !== address) return;
  if (value.typeName === audience)
    report({
      field: value,
      expected: `no ${audience}, which is experimental in grpc-java 1.76`,
      reactions: nackBy('java-1.76'),
    });
  if (value.unreadable !== undefined) {
    report({
      field: value,
      expected: `a readable ${value.typeName}`,
      got: value.unreadable,
      reactions: nackBy(...since('java-1.76')),
    });
    return;
  }
  const url = value.at('url');
  if (value.typeName === audience && url.text === '')
    report({ field: url, expected: 'the URL of an audience' });
  const ip = value.in('socketAddress', 'address');
  if (value.typeName === address && !isIpAddress(ip.text))
    report({ field: ip, expected: 'an IP address', reactions: nackBy(...since('java-1.76')) });
}
