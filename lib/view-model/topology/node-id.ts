import type { GraphEdgeKind } from '../../api/schema';

/** Ids are made of names, so that they hold while the config around them changes; they travel in URLs. */
export function rootId(kind: string, name: string): string {
  return `${kind}:${escapePart(name)}`;
}

export function childId(parentId: string, part: string): string {
  return `${parentId}>${escapePart(part)}`;
}

export function edgeId(sourceId: string, kind: GraphEdgeKind, targetId: string): string {
  return `${sourceId} -${kind}-> ${targetId}`;
}

/** Names may hold any character; only the separators must be told apart from ours. */
function escapePart(part: string): string {
  return /[%>#]/.test(part) ? part.replaceAll(/[%>#]/g, encodeURIComponent) : part;
}
