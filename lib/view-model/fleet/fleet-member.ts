import type { ClientSummary, TypeSummary } from '../../api/schema';
import type { NodeInfo } from '../../observation/observation';
import { isProcessDocument } from '../../xds/process-document';
import { ContentSum } from './content-sum';
import { flattenMetadata } from './flatten-metadata';
import type { ScopeLink } from './join-scopes';

/** A client as the fleet looks at it. */
export interface FleetMember {
  readonly summary: ClientSummary;
  /** As flattenMetadata() reports it. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Equal for clients that run the same, over all types of resources; empty for who holds none. */
  readonly content: string;
  /** How it belongs to others of its process; undefined: to nobody. */
  readonly link: ScopeLink | undefined;
}

export function buildFleetMember(
  summary: ClientSummary,
  node: Pick<NodeInfo, 'metadata'>,
  link?: ScopeLink,
): FleetMember {
  return { summary, metadata: flattenMetadata(node.metadata), content: contentOfAll(summary), link };
}

function contentOfAll({ types }: ClientSummary): string {
  const held = types.filter(({ total, typeUrl }) => total > 0 && !isProcessDocument(typeUrl));
  if (held.length === 0) return '';
  const sum = new ContentSum();
  for (const { typeUrl, content } of held) sum.count(typeUrl, content, 1);
  return sum.toString();
}

/** Equal for clients that run the same of this type, as in "CDS:0123"; empty for who holds nothing of it. */
export function contentOfType(type: TypeSummary | undefined): string {
  return type === undefined || type.total === 0 ? '' : `${type.service}:${type.content}`;
}
