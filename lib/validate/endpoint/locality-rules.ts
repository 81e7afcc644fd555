import { before, clientOf, grpcProfiles, type Profile, since, within } from '../../xds/profile';
import { EDS } from '../../xds/resource-type';
import { uint32Max } from '../common-values';
import { grpcNack, ignoredBy, nackBy, react } from '../reactions';
import { type Rule, rulesOf } from '../rule';
import { localitiesOf } from './assignment-parts';

const rule = rulesOf(EDS.typeUrl);

/** They end for the largest priority. */
const overflowing = new Set(within(since('core-1.56'), ...before('core-1.85')));

export const localityRules: readonly Rule[] = [
  rule(
    'E2',
    'A locality without weight gets no traffic and is ignored',
    'gRFC A27: locality weight 0',
    ignoredBy('core', 'go', 'java'),
    (resource, report) => {
      for (const { field, skippedBy } of localitiesOf(resource)) {
        if (skippedBy.size > 0)
          report({
            field: field.at('loadBalancingWeight'),
            expected: 'a weight of 1 to 2147483647, else the locality is skipped',
            reactions: ignoredBy(...skippedBy),
          });
      }
    },
  ),
  rule(
    'E3',
    'An endpoint group has a locality',
    'gRFC A27: locality',
    nackBy('core', 'go', 'node'),
    (resource, report) => {
      for (const { field, skippedBy } of localitiesOf(resource)) {
        // grpc-go reads the locality before the weight.
        const withoutGo = new Set([...skippedBy].filter((profile) => clientOf(profile) !== 'go'));
        if (!field.at('locality').exists)
          report({ field: field.at('locality'), expected: 'a locality', skippedBy: withoutGo });
      }
    },
  ),
  rule(
    'E8',
    'A locality occurs once in a priority',
    'gRFC A27: one locality once per priority',
    grpcNack,
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
            expected: `a locality that is unique in priority ${priority}`,
            skippedBy: new Set([...before, ...skippedBy]),
          });
        // A locality that some clients skip does not hide a later duplicate from the others.
        if (before === undefined || before.size > skippedBy.size) seen.set(key, skippedBy);
      }
    },
  ),
  rule('E9', 'Priorities have no gap', 'gRFC A27: priorities without a gap', grpcNack, (resource, report) => {
    const localities = localitiesOf(resource);
    // Envoy fills a gap with an empty priority.
    for (const profile of grpcProfiles) {
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
          reactions:
            used.has(uint32Max) && overflowing.has(profile) ? react({ crash: [profile] }) : nackBy(profile),
        });
    }
  }),
  rule(
    'E10',
    'The sum of locality weights in a priority fits in 32 bits',
    'gRFC A27: sum of locality weights',
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
  rule('E14', 'The LEDS config of a locality is valid', 'gRFC A95: LEDS', nackBy(), (resource, report) => {
    for (const { field } of localitiesOf(resource)) {
      const leds = field.at('ledsClusterLocalityConfig');
      if (!leds.exists) continue;
      const reactions = ignoredBy('core', 'go', 'java', 'node');
      const note = 'No measured client reads it; those with gRFC A95 NACK it.';
      const name = leds.at('ledsCollectionName');
      if (!leds.in('ledsConfig', 'self').exists)
        report({ field: leds.at('ledsConfig'), expected: 'self', reactions, note });
      if (name.text.endsWith('/*'))
        report({ field: name, expected: 'a list, not a glob (/*)', reactions, note });
      if (field.at('lbEndpoints').items().length > 0)
        report({
          field: field.at('lbEndpoints'),
          expected: 'none beside ledsClusterLocalityConfig',
          reactions: nackBy('envoy'),
        });
    }
  }),
];
