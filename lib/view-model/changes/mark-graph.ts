import type { Graph, GraphNode, GraphNodeKind } from '../../api/schema';
import { resourceKey } from '../../observation/client-state';
import type { ResourceKey } from '../../observation/observation';
import { CDS, EDS, LDS, RDS, SDS, VHDS } from '../../xds/resource-type';
import { rootId } from '../topology/node-id';
import type { ChangeKind } from './build-changes';

export interface GraphChanges {
  /** With what was removed as nodes of their own, which nothing leads to: it is there no longer. */
  readonly graph: Graph;
  /** By node id. */
  readonly changes: Readonly<Record<string, ChangeKind>>;
}

/** The node that stands for a resource of the type. */
const kindsOfTypes: ReadonlyMap<string, GraphNodeKind> = new Map([
  [LDS.typeUrl, 'listener'],
  [RDS.typeUrl, 'route-config'],
  [VHDS.typeUrl, 'virtual-host'],
  [CDS.typeUrl, 'cluster'],
  [EDS.typeUrl, 'endpoints'],
  [SDS.typeUrl, 'secret'],
]);
/** Parts of a resource that are not lit when it changed: they may be as before. */
const parts: ReadonlySet<GraphNodeKind> = new Set(['route', 'locality', 'endpoint', 'aggregate']);

/** Lights what changed between two moments up in the graph of the second one. */
export function markGraph(
  graph: Graph,
  changed: readonly (ResourceKey & { readonly kind: ChangeKind })[],
): GraphChanges {
  const kindOf = new Map(changed.map((change) => [resourceKey(change), change.kind]));
  const changes: Record<string, ChangeKind> = {};
  const drawn = new Set<string>();
  for (const { id, kind, typeUrl, resourceName } of graph.nodes) {
    drawn.add(id);
    if (typeUrl === null || resourceName === null || parts.has(kind)) continue;
    const change = kindOf.get(resourceKey({ typeUrl, name: resourceName }));
    if (change !== undefined) changes[id] = change;
  }
  const ghosts = changed.flatMap((change): GraphNode[] => {
    const kind = kindsOfTypes.get(change.typeUrl);
    if (change.kind !== 'removed' || kind === undefined) return [];
    const id = rootId(kind, change.name);
    if (drawn.has(id)) return [];
    changes[id] = 'removed';
    return [ghostOf(id, kind, change)];
  });
  return { graph: ghosts.length === 0 ? graph : { ...graph, nodes: [...graph.nodes, ...ghosts] }, changes };
}

function ghostOf(id: string, kind: GraphNodeKind, { typeUrl, name }: ResourceKey): GraphNode {
  const rest = { hash: null, reason: '', stands: null } as const;
  return { id, kind, name, status: 'NONE', detail: 'no longer there', typeUrl, resourceName: name, ...rest };
}
