import type { ResourceModel } from './parse-resource';

/**
 * The names of clusters that have endpoints without EDS. A config dump of Envoy lists the endpoints of each under its name,
 * beside those that EDS delivered: as they are in effect, with the addresses that DNS returned.
 */
export function findClustersWithoutEds(
  clusters: Iterable<readonly [name: string, model: ResourceModel | undefined]>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const delivered = new Set<string>();
  for (const [name, model] of clusters) {
    if (model?.kind !== 'cluster') continue;
    if (model.discovery.kind === 'eds') delivered.add(model.discovery.serviceName);
    else names.add(name);
  }
  for (const name of delivered) names.delete(name);
  return names;
}
