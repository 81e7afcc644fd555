import type { NodeInfo } from '../../observation/observation';
import { ContentSum } from '../client/content-sum';
import type { ClientSummary, TypeSummary } from '../client/schema';
import { configTypes } from './config-types';
import { flattenMetadata } from './flatten-metadata';
import type { ScopeLink } from './join-scopes';

export interface FleetMember {
  readonly summary: ClientSummary;
  /** Flattened by flattenMetadata(). */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Equal for clients with identical config over all resource types; empty if the client holds no resource. */
  readonly content: string;
  /** The link to other clients of the same process, if there are any. */
  readonly link: ScopeLink | undefined;
}

export function buildFleetMember(
  summary: ClientSummary,
  node: Pick<NodeInfo, 'metadata'>,
  link?: ScopeLink,
): FleetMember {
  return { summary, metadata: flattenMetadata(node.metadata), content: contentOfAll(summary), link };
}

function contentOfAll(summary: ClientSummary): string {
  const held = configTypes(summary).filter(({ total }) => total > 0);
  if (held.length === 0) return '';
  const sum = new ContentSum();
  for (const { typeUrl, content } of held) sum.count(typeUrl, content);
  return sum.toString();
}

/** Equal for clients with identical config of this type, as in "CDS:0123"; empty if the client holds no such resource. */
export function contentOfType(type: TypeSummary | undefined): string {
  return type === undefined || type.total === 0 ? '' : `${type.service}:${type.content}`;
}
