import type { ResourceKey } from '../../observation/resource-state';
import { normaliseTypeUrl } from '../../xds/resource-type';
import type { Graph, GraphNode } from '../graph/schema';

/**
 * Finds the node of a resource: the node with its name, else the first of its parts (virtual hosts, endpoints), which refer
 * to the same resource. An aggregated graph may have neither.
 */
export function findResourceNode(graph: Graph, key: ResourceKey | null): GraphNode | undefined {
  if (key === null) return undefined;
  const parts = graph.nodes.filter(
    ({ typeUrl, resourceName }) =>
      typeUrl !== undefined && normaliseTypeUrl(typeUrl) === key.typeUrl && resourceName === key.name,
  );
  return parts.find(({ name }) => name === key.name) ?? parts[0];
}
