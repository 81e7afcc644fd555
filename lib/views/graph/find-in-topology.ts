import { formatCondition } from '../../filter/format-filter';
import { holds } from '../../filter/match-filter';
import { type FilterGrammar, parseFilter } from '../../filter/parse-filter';
import type { ResourceKey } from '../../observation/resource-state';
import { findResourceType } from '../../xds/resource-type';
import { statusShape } from '../drawing/status-shape';
import { formatKind } from './node-kind';
import type { Graph, GraphNode } from './schema';
import { isNodeInTrouble, type Topology } from './topology';

/** The fields by which nodes of the graph are found. Words are searched in names, details and reasons. */
export const graphGrammar = {
  fields: {
    type: { meaning: 'a kind of node, as in type=cluster, or a resource type, as in type=CDS' },
    status: { meaning: 'the state of the node; status=trouble finds every node with an issue' },
    name: { meaning: 'the name of the node' },
    resource: { meaning: 'the name of its resource' },
    detail: { meaning: 'its weight, match, counts or the reason of its state' },
  },
} as const satisfies FilterGrammar;
type Field = keyof typeof graphGrammar.fields;

/** Formats the search for a resource's nodes; undefined for a name that no search text can contain. */
export function formatResourceFind({ typeUrl, name }: ResourceKey): string | undefined {
  const service = findResourceType(typeUrl)?.service;
  return service === undefined || name === '' || name.includes('"')
    ? undefined
    : `${formatCondition('type', '=', service)} resource="${name}"`;
}

/** Returns the ids of the nodes for which everything in the text holds, in the nodes' order; none for an empty text. */
export function findInTopology(nodes: readonly GraphNode[], text: string): string[] {
  const { words, conditions } = parseFilter(text, graphGrammar);
  if (words.length + conditions.length === 0) return [];
  const isFound = (node: GraphNode): boolean => {
    if (!conditions.every((condition) => holds(condition, textsOf[condition.field as Field](node))))
      return false;
    if (words.length === 0) return true;
    const texts = [node.name, node.detail, node.reason].map((each) => each.toLowerCase());
    return words.every((word) => texts.some((each) => each.includes(word)));
  };
  return nodes.filter(isFound).map((node) => node.id);
}

const mostMatchIds = 1_000;

/** All matches, with the ids of those from index `first` on. */
export function listMatches({ nodes }: Topology, find: string, first = 0): NonNullable<Graph['matches']> {
  const ids = findInTopology(nodes, find);
  return { find, total: ids.length, first, ids: ids.slice(first, first + mostMatchIds) };
}

const textsOf: Readonly<Record<Field, (node: GraphNode) => string[]>> = {
  type: ({ stands, kind, typeUrl }) => [
    stands?.kind ?? kind,
    formatKind(stands?.kind ?? kind),
    typeUrl === undefined ? '' : (findResourceType(typeUrl)?.service ?? ''),
  ],
  status: (node) => [node.status, statusShape(node.status).word, isNodeInTrouble(node) ? 'trouble' : 'ok'],
  name: ({ name }) => [name],
  resource: ({ resourceName }) => [resourceName ?? ''],
  detail: ({ detail, reason }) => [detail, reason],
};
