import type { GraphNode } from '../../api/schema';
import type { ResourceKey } from '../../observation/observation';
import { findResourceType } from '../../xds/resource-type';
import { statusShape } from '../status-shape';
import { formatKind } from './node-kind';
import { isNodeInTrouble } from './topology';

interface FindTerm {
  /** `any` for a bare word: name or detail. */
  readonly key: 'type' | 'status' | 'name' | 'resource' | 'detail' | 'any';
  readonly isExact: boolean;
  readonly isNegated: boolean;
  /** In lower case. */
  readonly value: string;
}

/**
 * A search text as terms that must all hold: `type=cluster status=NACKED name~"shop" cart`. `=` is equal, `~` contains,
 * `!=` and `!~` negate; case never counts. A word without a known key is looked for in names and details.
 */
export function parseFind(text: string): FindTerm[] {
  const terms: FindTerm[] = [];
  for (const [, key, operator, quoted, bare] of text.matchAll(
    /(?:(type|status|name|resource|detail)(!?[=~]))?(?:"([^"]*)"?|([^\s"]+))/gi,
  )) {
    const value = (quoted ?? bare ?? '').toLowerCase();
    if (value === '') continue;
    terms.push({
      key: keyOf(key),
      value,
      isExact: operator?.endsWith('=') ?? false,
      isNegated: operator?.startsWith('!') ?? false,
    });
  }
  return terms;
}

/** The search that finds a resource's nodes; undefined for a name that no search can say. */
export function formatResourceFind({ typeUrl, name }: ResourceKey): string | undefined {
  const service = findResourceType(typeUrl)?.service;
  return service === undefined || name === '' || name.includes('"')
    ? undefined
    : `type=${service} resource="${name}"`;
}

/** Ids of the nodes for which all terms hold, in the nodes' order; none when the text says nothing. */
export function findInTopology(nodes: readonly GraphNode[], text: string): string[] {
  const terms = parseFind(text);
  if (terms.length === 0) return [];
  return nodes.filter((node) => terms.every((term) => holds(term, node))).map((node) => node.id);
}

const findKeys = ['type', 'status', 'name', 'resource', 'detail'] as const;

function keyOf(key: string | undefined): FindTerm['key'] {
  const lower = key?.toLowerCase();
  return findKeys.find((known) => known === lower) ?? 'any';
}

function holds(term: FindTerm, node: GraphNode): boolean {
  const found = sayings(term.key, node).some((saying) => {
    const lower = saying.toLowerCase();
    return term.isExact ? lower === term.value : lower.includes(term.value);
  });
  return found !== term.isNegated;
}

/** What may be said to mean this node, as in status "DOES_NOT_EXIST", "does not exist", "trouble". */
function sayings(key: FindTerm['key'], node: GraphNode): string[] {
  const kind = node.stands?.kind ?? node.kind;
  switch (key) {
    case 'type':
      return [
        kind,
        formatKind(kind),
        node.typeUrl === null ? '' : (findResourceType(node.typeUrl)?.service ?? ''),
      ];
    case 'status':
      return [node.status, statusShape(node.status).word, isNodeInTrouble(node) ? 'trouble' : 'ok'];
    case 'name':
      return [node.name];
    case 'resource':
      return [node.resourceName ?? ''];
    case 'detail':
      return [node.detail, node.reason];
    case 'any':
      return [node.name, node.detail, node.reason];
  }
}
