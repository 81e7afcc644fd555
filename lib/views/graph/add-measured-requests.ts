import { leastRequests } from '../../facts/failing-endpoints';
import { describeMeasuredRequests, type MeasuredRequests } from '../../facts/measured-requests';
import type { GraphNode } from './schema';

type Node = Pick<GraphNode, 'kind' | 'name' | 'below'>;

/**
 * The nodes of clusters with what is measured of their requests, if every one failed, or if the config and the health of the
 * endpoints do not show how requests end.
 */
export function addMeasuredRequests<Of extends Node>(
  nodes: readonly Of[],
  measured: ReadonlyMap<string, MeasuredRequests> | undefined,
): Of[] {
  return nodes.map((node) => {
    const found = node.kind === 'cluster' ? measured?.get(node.name) : undefined;
    if (found === undefined || node.below?.status === 'UNHEALTHY') return node;
    const { errors, completed } = found;
    const isFailing = errors === completed && errors >= leastRequests;
    if (!isFailing && node.below === undefined) return node;
    const status = isFailing ? 'UNHEALTHY' : (node.below?.status ?? 'DEGRADED');
    const text = [node.below?.text, describeMeasuredRequests(found)].filter(Boolean).join('; ');
    return { ...node, below: { status, text } };
  });
}
