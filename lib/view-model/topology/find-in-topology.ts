import type { GraphNode } from '../../api/schema';
import type { ResourceKey } from '../../observation/resource-state';
import { findResourceType } from '../../xds/resource-type';
import { statusShape } from '../status-shape';
import { formatKind } from './node-kind';
import { isNodeInTrouble } from './topology';

interface FindTerm {
  /** `any` stands for a word without a key. */
  readonly key: 'type' | 'status' | 'name' | 'resource' | 'detail' | 'any';
  readonly isExact: boolean;
  readonly isNegated: boolean;
  /** In lower case. */
  readonly value: string;
}

/**
 * Parses a search text into terms that must all hold: `type=cluster status=NACKED name~"shop" cart`. `=` compares the
 * whole value, `~` a part, `!=` and `!~` negate. Case does not matter. Words without a known key are searched in names,
 * details and reasons.
 */
export function parseFind(text: string): FindTerm[] {
  const terms: FindTerm[] = [];
  for (const [, key, operator, quoted, bare] of text.matchAll(
    /(?:(type|status|name|resource|detail)(!?[=~]))?(?:"([^"]*)"?|([^\s"]+))/gi,
  )) {
    const value = (quoted ?? bare ?? '').toLowerCase();
    if (value === '') continue;
    terms.push({
      key: (key?.toLowerCase() ?? 'any') as FindTerm['key'],
      value,
      isExact: operator?.endsWith('=') ?? false,
      isNegated: operator?.startsWith('!') ?? false,
    });
  }
  return terms;
}

/** Formats the search for a resource's nodes; undefined for a name that no search text can contain. */
export function formatResourceFind({ typeUrl, name }: ResourceKey): string | undefined {
  const service = findResourceType(typeUrl)?.service;
  return service === undefined || name === '' || name.includes('"')
    ? undefined
    : `type=${service} resource="${name}"`;
}

/** Returns the ids of the nodes for which all terms hold, in the nodes' order; none if the text has no terms. */
export function findInTopology(nodes: readonly GraphNode[], text: string): string[] {
  const terms = parseFind(text);
  if (terms.length === 0) return [];
  return nodes.filter((node) => terms.every((term) => holds(term, node))).map((node) => node.id);
}

function holds(term: FindTerm, node: GraphNode): boolean {
  const found = textsOf[term.key](node).some((text) => {
    const lower = text.toLowerCase();
    return term.isExact ? lower === term.value : lower.includes(term.value);
  });
  return found !== term.isNegated;
}

const textsOf: Readonly<Record<FindTerm['key'], (node: GraphNode) => string[]>> = {
  type: ({ stands, kind, typeUrl }) => [
    stands?.kind ?? kind,
    formatKind(stands?.kind ?? kind),
    typeUrl === null ? '' : (findResourceType(typeUrl)?.service ?? ''),
  ],
  status: (node) => [node.status, statusShape(node.status).word, isNodeInTrouble(node) ? 'trouble' : 'ok'],
  name: ({ name }) => [name],
  resource: ({ resourceName }) => [resourceName ?? ''],
  detail: ({ detail, reason }) => [detail, reason],
  any: ({ name, detail, reason }) => [name, detail, reason],
};
