import { resourceKey } from '../../observation/client-state';
import type { Orphan } from '../../resolve/reference-report';
import type { GraphNode } from './schema';
import type { Topology } from './topology';

/** Sets `unused` on the nodes of resources to which no listener leads, as after its listener was deleted. */
export function markUnused({ nodes, edges }: Topology, orphans: readonly Orphan[]): Topology {
  // If no listener is reported, it is not known what listeners refer to.
  if (orphans.length === 0 || !nodes.some(({ kind }) => kind === 'listener')) return { nodes, edges };
  const reasons = new Map(orphans.map((orphan) => [resourceKey(orphan), orphan.reason]));
  let before: GraphNode | undefined;
  let unused: string | undefined;
  const marked = nodes.map((node) => {
    const { typeUrl, resourceName } = node;
    if (typeUrl === undefined || resourceName === undefined) return node;
    // The nodes of one resource follow one another.
    if (before?.typeUrl !== typeUrl || before.resourceName !== resourceName)
      unused = reasons.get(resourceKey({ typeUrl, name: resourceName }));
    before = node;
    return unused === undefined ? node : { ...node, unused };
  });
  return { nodes: marked, edges };
}
