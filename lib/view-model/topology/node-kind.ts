import type { GraphNode, GraphNodeKind } from '../../api/schema';
import { formatCount } from '../../format/count';

const nouns: Readonly<Record<GraphNodeKind, readonly [one: string, several: string]>> = {
  listener: ['listener', 'listeners'],
  'route-config': ['route configuration', 'route configurations'],
  'virtual-host': ['virtual host', 'virtual hosts'],
  route: ['route', 'routes'],
  cluster: ['cluster', 'clusters'],
  priority: ['priority', 'priorities'],
  locality: ['locality', 'localities'],
  endpoint: ['endpoint', 'endpoints'],
  endpoints: ['EDS resource', 'EDS resources'],
  secret: ['secret', 'secrets'],
  aggregate: ['group', 'groups'],
};

/** "route configuration". */
export function formatKind(kind: GraphNodeKind): string {
  return nouns[kind][0];
}

/** "412 endpoints"; "409 more endpoints" when others of them are shown. */
export function formatKindCount(kind: GraphNodeKind, count: number, isRest = false): string {
  return `${formatCount(count)} ${isRest ? 'more ' : ''}${nouns[kind][count === 1 ? 0 : 1]}`;
}

/** A column is no wider than its heading. */
const shortNouns: Readonly<Partial<Record<GraphNodeKind, string>>> = { 'route-config': 'route config' };

/** "30 000 clusters", one line for each kind in a column; what aggregates stand for counts. */
export function formatColumnHeadings(nodes: readonly GraphNode[]): string[] {
  const counts = new Map<GraphNodeKind, number>();
  for (const node of nodes) {
    const kind = node.stands?.kind ?? node.kind;
    counts.set(kind, (counts.get(kind) ?? 0) + (node.stands?.count ?? 1));
  }
  return [...counts].map(([kind, count]) => {
    const short = shortNouns[kind];
    return short === undefined
      ? formatKindCount(kind, count)
      : `${formatCount(count)} ${short}${count === 1 ? '' : 's'}`;
  });
}
