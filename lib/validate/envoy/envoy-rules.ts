import { profilesOf } from '../../xds/profile';
import { CDS, EDS, LDS, RDS, SDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { nackBy, noNacks } from '../reactions';
import { routeConfigsOf, routesOf, virtualHostsOf } from '../route/route-parts';
import type { Dependence, Rule } from '../rule';
import { checkConstraints } from './check-constraints';

const envoys = profilesOf('envoy');
const unknownClusters: Dependence = {
  dependsOn:
    'The clusters of Envoy, which are not known here: those to which the routes go are assumed to exist (validate_clusters).',
  otherwise: nackBy('envoy'),
};
const source = "Envoy: the protos' own constraints (validate.rules)";

/** Conditions that only Envoy rejects. The rule about domains is among the rules of virtual hosts. */
export const envoyRules: readonly Rule[] = [
  {
    id: 'PGV',
    title: 'The constraints in the protos (validate.rules) hold',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl, SDS.typeUrl],
    source,
    reactions: nackBy('envoy'),
    check(resource, report, { typeUrl, constraints }) {
      if (constraints === undefined) return;
      const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
      // Envoy ignores API listeners that it receives by LDS after it has validated the Listener itself.
      if (typeUrl === LDS.typeUrl && resource.at('apiListener').exists)
        checkConstraints(name, resource, constraints, report, () => false);
      else checkConstraints(name, resource, constraints, report);
    },
  },
  {
    id: 'ENVOY-clusters',
    title: 'With validate_clusters, the clusters of routes exist',
    types: [RDS.typeUrl, LDS.typeUrl],
    source: 'Envoy: validate_clusters',
    reactions: nackBy('envoy'),
    check(resource, report, { typeUrl, clusters, isWithoutClient = false }) {
      if (clusters === undefined && !isWithoutClient) return;
      for (const { field: config, skippedBy } of routeConfigsOf(resource, typeUrl)) {
        const inline = typeUrl === LDS.typeUrl;
        const option = config.at('validateClusters');
        // In a listener the option is on unless it is disabled.
        if (
          envoys.every((profile) => skippedBy.has(profile)) ||
          !(option.isTrue || (inline && !option.exists))
        )
          continue;
        for (const name of clustersOf(config)) {
          const expected = 'a cluster that the client has (validateClusters)';
          if (clusters === undefined)
            report({ field: name, expected, reactions: noNacks, dependence: unknownClusters });
          else if (!clusters.has(name.text)) report({ field: name, expected });
        }
      }
    },
  },
];

function clustersOf(config: Field): Field[] {
  return virtualHostsOf(config).flatMap((host) =>
    routesOf(host).flatMap(({ field }) => {
      const action = field.at('route');
      const weighted = action.in('weightedClusters', 'clusters').items();
      return [action.at('cluster'), ...weighted.map((cluster) => cluster.at('name'))].filter(
        (name) => name.exists && name.text !== '',
      );
    }),
  );
}
