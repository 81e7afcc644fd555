import type { Graph, GraphNode, GraphNodeKind } from '../../api/schema';
import type { ChangeKind } from '../../diff/change-kind';
import { resourceKey } from '../../observation/client-state';
import type { ResourceKey } from '../../observation/observation';
import { CDS, EDS, LDS, RDS, SDS, VHDS } from '../../xds/resource-type';
import { rootId } from '../topology/node-id';

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
/** Parts of a resource: when it changed they may be as before. An aggregate is of several, and says nothing of one. */
const parts: ReadonlySet<GraphNodeKind> = new Set(['route', 'locality', 'endpoint', 'aggregate']);

/**
 * Lights what changed between two moments up in the graph of the second one. `before` is the graph of the first one,
 * where it is there: then those parts of a changed resource are lit that are new or read otherwise.
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
  for (const node of graph.nodes) {
    const { id, kind, typeUrl, resourceName } = node;
    drawn.add(id);
    if (typeUrl === null || resourceName === null) continue;
    const key = resourceKey({ typeUrl, name: resourceName });
    const change = kindOf.get(key);
    if (change === undefined) continue;
    const lit = parts.has(kind) ? changeOfPart(node, change, partsBefore.get(key)) : change;
    if (lit !== undefined) changes[id] = lit;
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

/** By resource, then by node id: its parts, where they are drawn one by one. */
function findParts(graph: Graph | undefined): Map<string, Map<string, GraphNode>> {
  const found = new Map<string, Map<string, GraphNode>>();
  for (const node of graph?.nodes ?? []) {
    const { id, kind, typeUrl, resourceName } = node;
    if (typeUrl === null || resourceName === null || !parts.has(kind) || kind === 'aggregate') continue;
    const key = resourceKey({ typeUrl, name: resourceName });
    const own = found.get(key) ?? new Map<string, GraphNode>();
    found.set(key, own.set(id, node));
  }
  return found;
}

/** undefined: as before, or nobody can say, since its like was not drawn one by one before. */
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

function ghostOf(id: string, kind: GraphNodeKind, { typeUrl, name }: ResourceKey): GraphNode {
  const rest = { hash: null, reason: '', stands: null } as const;
  return { id, kind, name, status: 'NONE', detail: 'no longer there', typeUrl, resourceName: name, ...rest };
}
