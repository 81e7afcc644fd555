import { before, clientOf, type Profile, profilesOf, since, type Who } from '../../xds/profile';
import { EDS } from '../../xds/resource-type';
import { denominators, isKnownDenominator, uint32Max } from '../common-values';
import type { Field } from '../field';
import { isIpAddress, parseIpAddress, withoutBrackets } from '../ip-address';
import { ignoredBy, nackBy, noNacks, react } from '../reactions';
import { type Report, type Rule, reportExceptFor, rulesOf } from '../rule';
import { endpointsOf, isUsable, localitiesOf } from './assignment-parts';

const rule = rulesOf(EDS.typeUrl);

export const endpointRules: readonly Rule[] = [
  rule(
    'E1',
    'cluster_name is the name of the resource',
    'xDS: the name of the resource',
    nackBy(),
    (resource, report, context) => {
      const name = resource.at('clusterName');
      if (name.text === '')
        report({
          field: name,
          expected: 'the name of the resource',
          reactions: react({ NACK: since('go-1.82'), crash: before('go-1.82') }),
        });
      const wanted = context.subscribedName;
      if (wanted !== undefined && name.text !== wanted)
        report({
          field: name,
          expected: `${JSON.stringify(wanted)}, the name in the subscription`,
          reactions: react({ 'ignore resource': ['envoy'] }),
        });
    },
  ),
  rule(
    'E4',
    'An endpoint weight is not 0, and the sum fits in 32 bits',
    'gRFC A42: endpoint weights',
    nackBy('core', 'go'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        const weight = field.at('loadBalancingWeight');
        if (weight.exists && weight.numberOr(0) === 0)
          report({ field: weight, expected: 'weight >= 1', skippedBy: skippedBy });
      }
      for (const { field } of localitiesOf(resource)) {
        const weights = field
          .at('lbEndpoints')
          .items()
          .map((each) => each.at('loadBalancingWeight').numberOr(1));
        const sum = weights.reduce((total, weight) => total + weight, 0);
        if (sum > uint32Max)
          report({
            field: field.at('lbEndpoints'),
            expected: `a sum of weights <= ${uint32Max}`,
            got: String(sum),
            reactions: nackBy(...since('go-1.80')),
          });
      }
    },
  ),
  rule(
    'E5',
    'An endpoint has a socket address with an IP address and a port',
    'gRFC A27: endpoint address',
    nackBy('core', 'java', 'node'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        checkAddress(field.in('endpoint', 'address'), reportExceptFor(report, skippedBy));
      }
    },
  ),
  rule(
    'E6',
    'Additional addresses are socket addresses',
    'gRFC A61: additional addresses',
    nackBy(...since('core-1.56'), 'node'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        for (const extra of field.in('endpoint', 'additionalAddresses').items())
          checkAddress(
            extra.at('address'),
            reportExceptFor(
              report,
              new Set([...skippedBy, ...before('core-1.56'), ...profilesOf('go', 'java')]),
            ),
          );
      }
    },
  ),
  rule(
    'E7',
    'An address occurs once',
    'gRFC A27: duplicate addresses',
    nackBy('core', 'go', 'node'),
    (resource, report) => {
      if (!hasEqualAddresses(resource)) return;
      for (const profile of comparing) checkDuplicates(resource, profile, report);
    },
  ),
  rule(
    'E11',
    'The category and the percentage of a drop are valid',
    'gRFC A27: drops',
    nackBy('core'),
    (resource, report) => {
      for (const drop of resource.in('policy', 'dropOverloads').items()) {
        const category = drop.at('category');
        const percentage = drop.at('dropPercentage');
        if (category.text === '') report({ field: category, expected: 'a category' });
        if (!percentage.exists) report({ field: percentage, expected: 'a percentage' });
        if (!isKnownDenominator(percentage))
          report({
            field: percentage.at('denominator'),
            expected: denominators,
            // grpc-go before 1.80 divides by zero.
            reactions: react({
              NACK: ['core', 'java-1.85', 'go-1.85'],
              'no answer': before('java-1.85'),
              crash: before('go-1.80'),
            }),
          });
      }
    },
  ),
  rule(
    'E12',
    'gRPC uses endpoints whose health status is UNKNOWN, HEALTHY or DRAINING',
    'gRFC A27: health',
    ignoredBy('core', 'go', 'java'),
    (resource, report) => {
      for (const { field } of endpointsOf(resource)) {
        if (isUsable(field)) continue;
        report({
          field: field.at('healthStatus'),
          expected: 'UNKNOWN, HEALTHY or DRAINING, else the endpoint is not used',
        });
      }
    },
  ),
];

function checkAddress(address: Field, report: Report): void {
  const socket = address.at('socketAddress');
  if (!socket.exists) {
    const isOther = address.at('pipe').exists || address.at('envoyInternalAddress').exists;
    report({
      field: socket,
      expected: 'a socket address',
      reactions: nackBy(
        ...(['core', 'node'] as const),
        ...(address.exists ? since('java-1.76') : (['java'] as const)),
        ...(isOther ? [] : (['envoy'] as const)),
      ),
    });
    return;
  }
  const host = socket.at('address');
  const port = socket.at('portValue');
  const resolver = socket.at('resolverName');
  if (resolver.text !== '')
    report({
      field: resolver,
      expected: 'no resolver name',
      reactions: noNacks,
      dependence: {
        dependsOn:
          'The build of Envoy, which is not known here: it NACKs the name of an address resolver that it does not have.',
        otherwise: nackBy('envoy'),
      },
    });
  if (!isIpAddress(host.text)) {
    const isResolved = resolver.text !== '';
    const clients: Who[] = isIpAddress(withoutBrackets(host.text))
      ? [...since('java-1.76'), 'node']
      : ['core', ...since('java-1.76'), 'node'];
    report({
      field: host,
      expected: 'an IP address',
      reactions: nackBy(...clients, ...(isResolved ? [] : ['envoy' as const])),
    });
  }
  if (host.text.includes('%'))
    report({
      field: host,
      expected: 'an address without a zone',
      reactions: nackBy(),
      dependence: {
        dependsOn:
          'The network interfaces of the client, which are not known here: C-core, Java and Envoy NACK a zone that is none of them.',
        otherwise: nackBy('core', 'java', 'envoy'),
      },
    });
  if (!port.exists) report({ field: port, expected: 'a port', reactions: nackBy('node') });
  if (port.numberOr(0) > 65535)
    report({
      field: port,
      expected: 'a port <= 65535',
      reactions: react({ NACK: ['core', 'java-1.85'], 'no answer': before('java-1.85') }),
    });
}

/** grpc-java and Envoy accept duplicates. */
const comparing = profilesOf('core', 'go', 'node');
const withAdditional: readonly Profile[] = [...since('core-1.56'), ...since('go-1.72'), 'node-1.14'];

/** False: no client finds a duplicate, since parsed addresses are equal wherever texts are, and here nothing is dropped. */
function hasEqualAddresses(resource: Field): boolean {
  const seen = new Set<string>();
  for (const { field } of endpointsOf(resource)) {
    const more = field.in('endpoint', 'additionalAddresses').items();
    for (const each of [field.at('endpoint'), ...more]) {
      const key = addressKey(each.in('address', 'socketAddress'), 'core-1.56');
      if (seen.has(key)) return true;
      seen.add(key);
    }
  }
  return false;
}

/** Clients drop different endpoints, so an address can be a duplicate for one client and not for another. */
function checkDuplicates(resource: Field, profile: Profile, report: Report): void {
  const seen = new Set<string>();
  for (const { field, skippedBy } of endpointsOf(resource)) {
    if (skippedBy.has(profile)) continue;
    const main = field.in('endpoint', 'address', 'socketAddress');
    const extra = withAdditional.includes(profile) ? field.in('endpoint', 'additionalAddresses').items() : [];
    for (const socket of [main, ...extra.map((item) => item.in('address', 'socketAddress'))]) {
      // grpc-go reads an absent address as ":0".
      if (!socket.exists && clientOf(profile) !== 'go') continue;
      const key = addressKey(socket, profile);
      if (seen.has(key))
        report({
          field: socket,
          expected: 'an address that is unique in the resource',
          reactions: nackBy(profile),
        });
      seen.add(key);
    }
  }
}

/** C-core compares parsed addresses; the other clients compare texts. */
function addressKey(socket: Field, profile: Profile): string {
  const text = socket.at('address').text;
  const literal = withoutBrackets(text);
  const parsed = clientOf(profile) === 'core' ? parseIpAddress(literal) : undefined;
  const zone = literal.split('%')[1] ?? '';
  const host = parsed === undefined ? text : `${parsed.bits}:${parsed.value}%${zone}`;
  return `${host} ${socket.at('portValue').numberOr(0)}`;
}
