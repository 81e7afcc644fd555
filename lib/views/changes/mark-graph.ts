import type { ChangeKind } from '../../diff/change-kind';
import { resourceKey } from '../../observation/client-state';
import type { ResourceKey } from '../../observation/resource-state';
import { CDS, EDS, LDS, RDS, SDS, VHDS } from '../../xds/resource-type';
import { rootId } from '../graph/node-id';
import type { GraphNodeKind } from '../graph/node-kinds';
import type { Graph, GraphNode } from '../graph/schema';

interface GraphChanges {
  /** The graph with removed resources as unconnected nodes. */
  readonly graph: Graph;
  /** The changes by node ID. */
  readonly changes: Readonly<Record<string, ChangeKind>>;
}

const kindsOfTypes: ReadonlyMap<string, GraphNodeKind> = new Map([
  [LDS.typeUrl, 'listener'],
  [RDS.typeUrl, 'route-config'],
  [VHDS.typeUrl, 'virtual-host'],
  [CDS.typeUrl, 'cluster'],
  [EDS.typeUrl, 'endpoints'],
  [SDS.typeUrl, 'secret'],
]);
/** Parts of resources, which may be unchanged if the resource changed. Aggregates stand for several resources. */
const parts: ReadonlySet<GraphNodeKind> = new Set(['route', 'priority', 'locality', 'endpoint', 'aggregate']);

/** A virtual host is a part of a route configuration, and a resource of VHDS. */
function isPart({ kind, typeUrl }: Pick<GraphNode, 'kind' | 'typeUrl'>): boolean {
  return parts.has(kind) || (kind === 'virtual-host' && typeUrl === RDS.typeUrl);
}

/**
 * Marks the changes between two moments in the graph of the second one. With the graph of the first one, `before`, the changed
 * parts of resources are marked as well.
 */
export function markGraph(
  graph: Graph,
  changed: readonly (ResourceKey & { readonly kind: ChangeKind })[],
  before?: Graph,
): GraphChanges {
  const kindOf = new Map(changed.map((change) => [resourceKey(change), change.kind]));
  const changes: Record<string, ChangeKind> = {};
  const drawn = new Set<string>();
  const partsBefore = findParts(before);
  const shown = new Set<string>();
  for (const node of graph.nodes) {
    const { id, typeUrl, resourceName } = node;
    drawn.add(id);
    if (typeUrl === undefined || resourceName === undefined) continue;
    const key = resourceKey({ typeUrl, name: resourceName });
    const change = kindOf.get(key);
    if (change === undefined) continue;
    const marked = isPart(node) ? changeOfPart(node, change, partsBefore.get(key)) : change;
    if (marked === undefined) continue;
    changes[id] = marked;
    shown.add(key);
  }
  // Priorities are drawn instead of their resource, which is marked if no part of it shows the change.
  for (const { id, kind, typeUrl, resourceName } of graph.nodes) {
    if (kind !== 'priority' || typeUrl === undefined || resourceName === undefined) continue;
    const key = resourceKey({ typeUrl, name: resourceName });
    const change = kindOf.get(key);
    if (change !== undefined && !shown.has(key)) changes[id] = change;
  }
  const removed = changed.flatMap((change): GraphNode[] => {
    const kind = kindsOfTypes.get(change.typeUrl);
    if (change.kind !== 'removed' || kind === undefined) return [];
    const id = rootId(kind, change.name);
    if (drawn.has(id)) return [];
    changes[id] = 'removed';
    return [removedNode(id, kind, change)];
  });
  return { graph: removed.length === 0 ? graph : { ...graph, nodes: [...graph.nodes, ...removed] }, changes };
}

/** Finds the parts of resources, by resource key and node id. */
function findParts(graph: Graph | undefined): Map<string, Map<string, GraphNode>> {
  const found = new Map<string, Map<string, GraphNode>>();
  for (const node of graph?.nodes ?? []) {
    const { id, kind, typeUrl, resourceName } = node;
    if (typeUrl === undefined || resourceName === undefined || !isPart(node) || kind === 'aggregate')
      continue;
    const key = resourceKey({ typeUrl, name: resourceName });
    const own = found.get(key) ?? new Map<string, GraphNode>();
    found.set(key, own.set(id, node));
  }
  return found;
}

/** Returns undefined if the part is unchanged, or if the parts of its kind were aggregated before. */
function changeOfPart(
  node: GraphNode,
  ofResource: ChangeKind,
  before: ReadonlyMap<string, GraphNode> | undefined,
): ChangeKind | undefined {
  if (node.kind === 'aggregate') return undefined;
  if (ofResource === 'added') return 'added';
  if (before === undefined) return undefined;
  const old = before.get(node.id);
  if (old === undefined)
    return [...before.values()].some(({ kind }) => kind === node.kind) ? 'added' : undefined;
  return old.name === node.name && old.detail === node.detail && old.status === node.status
    ? undefined
    : 'changed';
}

function removedNode(id: string, kind: GraphNodeKind, { typeUrl, name }: ResourceKey): GraphNode {
  const rest = { reason: '', unused: '' } as const;
  return { id, kind, name, status: 'NONE', detail: 'no longer there', typeUrl, resourceName: name, ...rest };
}
