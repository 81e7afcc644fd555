import { rollup, sum } from 'd3';
import { formatCount, formatCounted } from '../../format/count';
import type { GraphNodeKind } from './node-kinds';
import type { GraphNode } from './schema';

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

/** "412 endpoints", or "409 more endpoints" if others are shown. */
export function formatKindCount(kind: GraphNodeKind, count: number, isRest = false): string {
  return `${formatCount(count)} ${isRest ? 'more ' : ''}${nouns[kind][count === 1 ? 0 : 1]}`;
}

/** "30,000 clusters", one line for each kind in a column. Aggregates count as what they stand for. */
export function formatColumnHeadings(nodes: readonly GraphNode[]): string[] {
  const counts = rollup(
    nodes,
    (ofKind) => sum(ofKind, ({ stands }) => stands?.count ?? 1),
    ({ stands, kind }) => stands?.kind ?? kind,
  );
  return [...counts].map(([kind, count]) =>
    // A column is at least as wide as its heading: this one is short.
    kind === 'route-config' ? formatCounted(count, 'route config') : formatKindCount(kind, count),
  );
}
