import type { Graph, GraphNode } from '../graph/schema';
import type { ExplainedStep, Explanation } from './schema';

type Drawn = Pick<Graph, 'nodes' | 'edges'>;

/**
 * Returns the ids of the nodes that a request passes in the graph: the listener, the routes that are taken or may be, and
 * the clusters with the endpoints that can receive it.
 */
export function findRequestPath(
  { nodes, edges }: Drawn,
  { steps, branches }: Pick<Explanation, 'steps' | 'branches'>,
): ReadonlySet<string> {
  const taken = steps.filter(({ verdict }) => verdict === 'taken' || verdict === 'depends');
  const path = new Set<string>();
  for (const node of nodes) if (taken.some((step) => isNodeOf(node, step))) path.add(node.id);
  const below = new Map<string, string[]>();
  for (const { source, target } of edges) below.set(source, [...(below.get(source) ?? []), target]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { cluster, endpoints = [] } of branches) {
    const start = nodes.find(({ kind, name }) => kind === 'cluster' && name === cluster);
    if (start === undefined) continue;
    path.add(start.id);
    const wanted = new Set(endpoints.map(({ address }) => address));
    const isWanted = ({ kind, name }: GraphNode) => kind === 'endpoint' && wanted.has(name);
    addLeading(start.id, { below, byId, isWanted, path });
  }
  return path;
}

function isNodeOf({ kind, typeUrl, resourceName, fieldPath = '' }: GraphNode, step: ExplainedStep): boolean {
  const { resource, path, stage, verdict } = step;
  if (resource === undefined || typeUrl !== resource.typeUrl || resourceName !== resource.name) return false;
  // A step that depends names the condition inside the route.
  const isInside = verdict === 'depends' && path.startsWith(`${fieldPath}.`);
  switch (stage) {
    case 'listener':
      return kind === 'listener';
    case 'route-config':
      return kind === 'route-config' && fieldPath === path;
    case 'virtual-host':
      return kind === 'virtual-host' && fieldPath === path;
    case 'route':
      return kind === 'route' && (fieldPath === path || isInside);
    default:
      return false;
  }
}

interface Search {
  readonly below: ReadonlyMap<string, readonly string[]>;
  readonly byId: ReadonlyMap<string, GraphNode>;
  readonly isWanted: (node: GraphNode) => boolean;
  /** MUTATED. */
  readonly path: Set<string>;
}

/** Adds the nodes below `start` that lead to wanted ones. */
function addLeading(start: string, { below, byId, isWanted, path }: Search): void {
  const leads = new Map<string, boolean>();
  const pending: string[] = [start];
  const order: string[] = [];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (leads.has(id)) continue;
    leads.set(id, false);
    order.push(id);
    pending.push(...(below.get(id) ?? []));
  }
  // Nodes are visited again until none is added: an aggregate cluster may lead to the same endpoints in several ways.
  for (let isAdded = true; isAdded; ) {
    isAdded = false;
    for (const id of [...order].reverse()) {
      const node = byId.get(id);
      if (node === undefined || leads.get(id) === true) continue;
      const isLeading = isWanted(node) || (below.get(id) ?? []).some((next) => leads.get(next) === true);
      if (!isLeading) continue;
      leads.set(id, true);
      path.add(id);
      isAdded = true;
    }
  }
}
