import type { GraphEdgeKind } from './schema';

/** Ids are made of names, so that they stay the same while the config around a node changes. They are used in URLs. */
export function rootId(kind: string, name: string): string {
  return `${kind}:${escapePart(name)}`;
}

export function childId(parentId: string, part: string): string {
  return `${parentId}>${escapePart(part)}`;
}

export function edgeId(source: string, kind: GraphEdgeKind, target: string): string {
  return `${source} -${kind}-> ${target}`;
}

/** Builds the ids of the children of one node. Equal names are valid (two equal route matches): the second is "name#2". */
export class ChildIds {
  readonly #counts = new Map<string, number>();

  constructor(readonly parentId: string) {}

  next(part: string): string {
    const nth = (this.#counts.get(part) ?? 0) + 1;
    this.#counts.set(part, nth);
    const id = childId(this.parentId, part);
    return nth === 1 ? id : `${id}#${nth}`;
  }
}

/** Names may contain any character: the separators of ids are escaped in them. */
function escapePart(part: string): string {
  return /[%>#]/.test(part) ? part.replaceAll(/[%>#]/g, encodeURIComponent) : part;
}
