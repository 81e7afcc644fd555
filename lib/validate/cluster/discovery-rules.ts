import { since } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import { isAdsOrSelf } from '../common-values';
import type { Field } from '../field';
import { parseIpAddress } from '../ip-address';
import { everyNack, grpcNack, nackBy, noNacks, react } from '../reactions';
import { type Report, type Rule, rulesOf } from '../rule';

const rule = rulesOf(CDS.typeUrl);

const aggregate = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';

export const discoveryRules: readonly Rule[] = [
  // Envoy supports every other discovery type.
  rule(
    'C1',
    'The discovery type is EDS, LOGICAL_DNS or a cluster type',
    'gRFC A37: discovery type',
    grpcNack,
    (cluster, report) => {
      const type = cluster.at('type');
      if (!cluster.at('clusterType').exists && type.text !== 'EDS' && type.text !== 'LOGICAL_DNS')
        report({
          field: type,
          expected: 'EDS, LOGICAL_DNS or a clusterType',
          got: type.exists ? type.show() : 'STATIC (unset)',
        });
    },
  ),
  rule(
    'C2',
    'EDS is read from ADS or the same server, and xdstp clusters have a service_name',
    'gRFC A27, A47: EDS cluster',
    grpcNack,
    (cluster, report) => {
      if (cluster.at('type').text !== 'EDS') return;
      const eds = cluster.at('edsClusterConfig');
      if (!eds.exists) report({ field: eds, expected: 'the config of an EDS cluster', reactions: everyNack });
      else if (!isAdsOrSelf(eds.at('edsConfig')))
        report({ field: eds.at('edsConfig'), expected: 'ads or self' });
      if (cluster.at('name').text.startsWith('xdstp:') && eds.at('serviceName').text === '')
        report({
          field: eds.at('serviceName'),
          expected: 'a service name, because the cluster name begins with xdstp:',
          reactions: nackBy(...since('core-1.53'), 'go', 'java', 'node'),
        });
      if (eds.at('serviceName').text.startsWith('xdstp:'))
        report({
          field: eds.at('serviceName'),
          expected: 'an authority of the bootstrap',
          reactions: noNacks,
          dependence: {
            dependsOn:
              "The authorities in the client's bootstrap, which is not known here: grpc-js-xds crashes if it does not have that of an xdstp: name.",
            otherwise: react({ crash: ['node'] }),
          },
        });
    },
  ),
  rule(
    'C3',
    'A LOGICAL_DNS cluster has one endpoint with a DNS name and a port',
    'gRFC A37: LOGICAL_DNS cluster',
    everyNack,
    (cluster, report) => {
      if (cluster.at('type').text === 'LOGICAL_DNS') checkLogicalDns(cluster.at('loadAssignment'), report);
    },
  ),
  rule(
    'C4',
    'An aggregate cluster has a valid list of clusters',
    'gRFC A37: aggregate cluster',
    grpcNack,
    (cluster, report, context) => {
      const type = cluster.at('clusterType');
      if (!type.exists) return;
      const config = type.at('typedConfig');
      const isNamed = type.at('name').text === 'envoy.clusters.aggregate';
      // Envoy finds the type by its name only if there is no config.
      if (config.exists ? config.typeName === '' : isNamed)
        report({ field: config, expected: aggregate, reactions: nackBy('envoy') });
      const isAggregate = config.wholeTypeName === aggregate && !config.isTypedStruct;
      if (!isAggregate)
        report({
          field: config,
          expected: aggregate,
          got: config.wholeTypeName || config.show(),
          reactions:
            config.typeName === aggregate ? nackBy('core', 'node', ...javaWithout(config)) : grpcNack,
        });
      if (!isNamed)
        report({
          field: type.at('name'),
          expected: '"envoy.clusters.aggregate"',
          reactions: nackBy('go', 'java'),
        });
      // grpc-go compares the part after the last slash.
      const isOfOtherHost = !isAggregate && config.typeName === aggregate && !config.isTypedStruct;
      if (isOfOtherHost && config.at('clusters').items().length === 0)
        report({ field: config.at('clusters'), expected: 'at least one cluster', reactions: nackBy('go') });
      if (!isAggregate) return;
      if (config.unreadable !== undefined)
        report({
          field: config,
          expected: `a readable ${aggregate}`,
          got: config.unreadable,
          reactions: everyNack,
        });
      else if (config.at('clusters').items().length === 0)
        report({
          field: config.at('clusters'),
          expected: 'at least one cluster',
          reactions: nackBy(...since('core-1.53'), 'go', ...since('java-1.76'), 'node'),
        });
      else if (context.isWithoutClient === true)
        report({
          field: config,
          expected: 'no change of a cluster in use',
          reactions: noNacks,
          dependence: {
            dependsOn:
              'The clusters that the client uses, which are not known here: C-core 1.66 to 1.85 crashes when a running EDS cluster becomes an aggregate.',
            otherwise: react({ crash: since('core-1.56') }),
          },
        });
    },
  ),
];

/** The versions of gRPC-Java that do not read this config. gRPC-Go also reads it from a TypedStruct. */
const javaWithout = ({ isTypedStruct }: Field) => (isTypedStruct ? (['java'] as const) : since('java-1.76'));

function checkLogicalDns(assignment: Field, report: Report): void {
  const localities = assignment.at('endpoints').items();
  const [locality] = localities;
  if (locality === undefined || localities.length > 1) {
    const got = assignment.exists ? String(localities.length) : 'no load assignment';
    report({ field: assignment.at('endpoints'), expected: 'exactly one locality', got });
    return;
  }
  const endpoints = locality.at('lbEndpoints').items();
  const [endpoint] = endpoints;
  if (endpoint === undefined || endpoints.length > 1) {
    report({
      field: locality.at('lbEndpoints'),
      expected: 'exactly one endpoint',
      got: String(endpoints.length),
    });
    return;
  }
  const socket = endpoint.in('endpoint', 'address', 'socketAddress');
  if (!socket.exists) {
    report({ field: socket, expected: 'a socket address', reactions: grpcNack });
    return;
  }
  const resolver = socket.at('resolverName');
  const port = socket.at('portValue');
  if (resolver.text !== '')
    report({
      field: resolver,
      expected: 'no resolver name',
      reactions: nackBy('core', 'go', 'java', 'envoy'),
    });
  if (socket.at('address').text === '')
    report({ field: socket.at('address'), expected: 'a host name', reactions: nackBy('core', 'go', 'node') });
  // grpc-java puts both into a URI after its ACK, the port as a signed number. If the result is not a valid URI, the
  // channel fails.
  const javaCrash = react({ crash: ['java'] });
  if (socket.at('address').text === '' || parseIpAddress(socket.at('address').text)?.bits === 128)
    report({ field: socket.at('address'), expected: 'a host in a URI', reactions: javaCrash });
  if (port.numberOr(0) >= 2 ** 31) report({ field: port, expected: 'a port <= 65535', reactions: javaCrash });
  if (!port.exists) report({ field: port, expected: 'a port', reactions: grpcNack });
  else if (port.numberOr(0) === 0) report({ field: port, expected: 'a port >= 1', reactions: nackBy('go') });
}
