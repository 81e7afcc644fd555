import type { Graph, GraphNode } from '../../api/schema';
import type { ResourceKey } from '../../observation/observation';
import { normaliseTypeUrl } from '../../xds/resource-type';

/**
 * The node that stands for a resource. Parts of it (its virtual hosts, its endpoints) name the same resource: the
 * node that bears its name comes first, then the first part; a picture that aggregates may have neither.
 */
export function findResourceNode(graph: Graph, key: ResourceKey | null): GraphNode | undefined {
  if (key === null) return undefined;
  const parts = graph.nodes.filter(
    ({ typeUrl, resourceName }) =>
      typeUrl !== null && normaliseTypeUrl(typeUrl) === key.typeUrl && resourceName === key.name,
  );
  return parts.find(({ name }) => name === key.name) ?? parts[0];
}
