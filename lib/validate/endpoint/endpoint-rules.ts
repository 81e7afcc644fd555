import { EDS } from '../xds/resource-type';
import type { Field } from './field';
import { allNack, ignoredBy, nackBy, type Profile, profiles } from './profile';
import { isIpAddress, isKnownDenominator, uint32Max } from './proto-values';
import type { Breach, Rule } from './rule';

type Report = (breach: Breach) => void;

/** gRFC A27: a locality without weight is skipped, before anything in it is looked at. Node keeps it. */
const skippers: ReadonlySet<Profile> = new Set(['core', 'go', 'java']);
const nobody: ReadonlySet<Profile> = new Set();

interface Locality {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
  readonly priority: number;
}

function localitiesOf(resource: Field): Locality[] {
  return resource
    .at('endpoints')
    .items()
    .map((field) => ({
      field,
      skippedBy: field.at('loadBalancingWeight').numberOr(0) === 0 ? skippers : nobody,
      priority: field.at('priority').numberOr(0),
    }));
}

interface Endpoint {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
}

/** C-core drops an endpoint that is not healthy before it reads its address. */
function endpointsOf(resource: Field): Endpoint[] {
  return localitiesOf(resource).flatMap(({ field, skippedBy }) =>
    field
      .at('lbEndpoints')
      .items()
      .map((endpoint) => {
        const isUsed = ['', 'UNKNOWN', 'HEALTHY', 'DRAINING'].includes(endpoint.at('healthStatus').text);
        return { field: endpoint, skippedBy: isUsed ? skippedBy : new Set([...skippedBy, 'core' as const]) };
      }),
  );
}

function rule(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Rule['reactions'],
  check: (resource: Field, report: Report) => void,
): Rule {
  return { id, types: [EDS.typeUrl], source, fieldPath, reactions, check };
}

export const endpointRules: readonly Rule[] = [
  rule('E1', 'xDS: resource names', 'clusterName', nackBy('go'), (resource, report) => {
    const name = resource.at('clusterName');
    if (name.text === '') report({ field: name, expected: 'the name of the resource' });
  }),
  rule(
    'E2',
    'gRFC A27: locality weight 0',
    'endpoints[].loadBalancingWeight',
    ignoredBy('core', 'go', 'java'),
    (r, report) => {
      for (const { field, skippedBy } of localitiesOf(r)) {
        if (skippedBy.size > 0)
          report({
            field: field.at('loadBalancingWeight'),
            expected: 'weight >= 1, else the locality is skipped',
          });
      }
    },
  ),
  rule('E3', 'gRFC A27: locality', 'endpoints[].locality', allNack, (resource, report) => {
    for (const { field, skippedBy } of localitiesOf(resource)) {
      // Go looks for the locality before it looks at the weight.
      const sparedBy = new Set([...skippedBy].filter((profile) => profile !== 'go'));
      if (!field.at('locality').exists)
        report({ field: field.at('locality'), expected: 'a locality', sparedBy });
    }
  }),
  rule(
    'E4',
    'gRFC A42: endpoint weights',
    'endpoints[].lbEndpoints[].loadBalancingWeight',
    nackBy('core', 'go', 'java'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        const weight = field.at('loadBalancingWeight');
        if (weight.exists && weight.numberOr(0) === 0)
          report({ field: weight, expected: 'weight >= 1', sparedBy: skippedBy });
      }
    },
  ),
  rule(
    'E5',
    'gRFC A27: endpoint address',
    'endpoints[].lbEndpoints[].endpoint.address.socketAddress',
    nackBy('core', 'java', 'node'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        checkAddress(field.in('endpoint', 'address', 'socketAddress'), skippedBy, report);
      }
    },
  ),
  rule(
    'E6',
    'gRFC A61: additional addresses (newer than C-core 1.51)',
    'endpoints[].lbEndpoints[].endpoint.additionalAddresses[].address.socketAddress',
    nackBy('java', 'node'),
    (resource, report) => {
      for (const { field, skippedBy } of endpointsOf(resource)) {
        for (const extra of field.in('endpoint', 'additionalAddresses').items()) {
          checkAddress(extra.in('address', 'socketAddress'), skippedBy, report);
        }
      }
    },
  ),
  rule(
    'E7',
    'gRFC A27: duplicate addresses',
    'endpoints[].lbEndpoints[].endpoint.address',
    allNack,
    (resource, report) => {
      for (const profile of profiles) checkDuplicates(resource, profile, report);
    },
  ),
  rule(
    'E8',
    'gRFC A27: one locality once per priority',
    'endpoints[].locality',
    allNack,
    (resource, report) => {
      const seen = new Map<string, ReadonlySet<Profile>>();
      for (const { field, skippedBy, priority } of localitiesOf(resource)) {
        const locality = field.at('locality');
        if (!locality.exists) continue;
        const place = [locality.at('region'), locality.at('zone'), locality.at('subZone')].map(
          (part) => part.text,
        );
        const key = JSON.stringify([priority, ...place]);
        const before = seen.get(key);
        if (before !== undefined)
          report({
            field: locality,
            expected: `a locality that is new in priority ${priority}`,
            sparedBy: new Set([...before, ...skippedBy]),
          });
        // A skipped one does not hide what comes after it.
        if (before === undefined || before.size > skippedBy.size) seen.set(key, skippedBy);
      }
    },
  ),
  rule('E9', 'gRFC A27: priorities without a gap', 'endpoints[].priority', allNack, (resource, report) => {
    const localities = localitiesOf(resource);
    for (const profile of profiles) {
      const used = new Set(
        localities.filter(({ skippedBy }) => !skippedBy.has(profile)).map(({ priority }) => priority),
      );
      const missing = Array.from({ length: used.size }, (_, index) => index).find(
        (index) => !used.has(index),
      );
      if (missing !== undefined)
        report({
          field: resource.at('endpoints'),
          expected: `priorities from 0 without a gap`,
          got: `priority ${missing} missing`,
          reactions: nackBy(profile),
        });
    }
  }),
  rule(
    'E10',
    'gRFC A27: sum of locality weights',
    'endpoints[].loadBalancingWeight',
    nackBy('core', 'go', 'node'),
    (resource, report) => {
      const sums = new Map<number, number>();
      for (const { field, priority } of localitiesOf(resource)) {
        sums.set(priority, (sums.get(priority) ?? 0) + field.at('loadBalancingWeight').numberOr(0));
      }
      for (const [priority, sum] of sums) {
        if (sum > uint32Max)
          report({
            field: resource.at('endpoints'),
            expected: `a sum of weights <= ${uint32Max} in priority ${priority}`,
            got: String(sum),
          });
      }
    },
  ),
  rule('E11', 'gRFC A27: drops', 'policy.dropOverloads[]', nackBy('core'), (resource, report) => {
    for (const drop of resource.in('policy', 'dropOverloads').items()) {
      const category = drop.at('category');
      const percentage = drop.at('dropPercentage');
      if (category.text === '') report({ field: category, expected: 'a category' });
      if (!percentage.exists) report({ field: percentage, expected: 'a percentage' });
      if (!isKnownDenominator(percentage))
        report({
          field: percentage.at('denominator'),
          expected: 'HUNDRED, TEN_THOUSAND or MILLION',
          reactions: nackBy('core', 'java'),
        });
    }
  }),
];

function checkAddress(socket: Field, skippedBy: ReadonlySet<Profile>, report: Report): void {
  if (!socket.exists) {
    report({ field: socket, expected: 'a socket address', sparedBy: skippedBy });
    return;
  }
  const address = socket.at('address');
  const port = socket.at('portValue');
  if (!isIpAddress(address.text)) report({ field: address, expected: 'an IP address', sparedBy: skippedBy });
  if (!port.exists)
    report({ field: port, expected: 'a port', reactions: nackBy('node'), sparedBy: skippedBy });
  if (port.numberOr(0) > 65535)
    report({
      field: port,
      expected: 'a port <= 65535',
      reactions: nackBy('core', 'java'),
      sparedBy: skippedBy,
    });
}

/** Clients drop different endpoints, so the same address is a duplicate for one and not for another. */
function checkDuplicates(resource: Field, profile: Profile, report: Report): void {
  const seen = new Set<string>();
  for (const { field, skippedBy } of endpointsOf(resource)) {
    if (skippedBy.has(profile)) continue;
    const own = field.in('endpoint', 'address', 'socketAddress');
    const extra =
      profile === 'node' || profile === 'java' ? field.in('endpoint', 'additionalAddresses').items() : [];
    for (const socket of [own, ...extra.map((item) => item.in('address', 'socketAddress'))]) {
      // Go takes a missing address for ":0".
      if (!socket.exists && profile !== 'go') continue;
      const key = `${socket.at('address').text} ${socket.at('portValue').numberOr(0)}`;
      if (seen.has(key))
        report({
          field: socket,
          expected: 'an address that is not yet in the resource',
          reactions: nackBy(profile),
        });
      seen.add(key);
    }
  }
}
