import { type GraphNodeKind, graphNodeKinds } from '../../api/schema';

/** What an aggregate stands for: siblings of one kind below a node, or below an aggregate. */
export interface AggregateKey {
  readonly kind: GraphNodeKind;
  /** How many were opened already at the reader's wish; the next page begins there. */
  readonly opened: number;
  /** A node's id, an aggregate's id with nothing opened, or empty for what hangs below nothing. */
  readonly parentId: string;
}

export function formatAggregateId({ kind, opened, parentId }: AggregateKey): string {
  return `more:${kind}:${opened}@${parentId}`;
}

/** undefined when it is no aggregate's id. */
export function parseAggregateId(id: string): AggregateKey | undefined {
  const [, kindName, opened, parentId] = /^more:([a-z-]+):(\d{1,9})@(.*)$/s.exec(id) ?? [];
  const kind = graphNodeKinds.find((known) => known === kindName);
  if (kind === undefined || parentId === undefined) return undefined;
  return { kind, opened: Number(opened), parentId };
}
