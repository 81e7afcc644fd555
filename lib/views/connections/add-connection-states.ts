import type { Connection } from '../../observation/connection';
import type { ReportedState } from '../../observation/connection-states';
import type { GraphNode } from '../graph/schema';

/**
 * The nodes of endpoints with the measured state of their subchannels or hosts, where all that have the address agree. The
 * health of hosts is a part of the nodes already.
 */
export function addConnectionStates<Node extends Pick<GraphNode, 'kind' | 'name' | 'detail'>>(
  nodes: readonly Node[],
  connections: readonly Connection[] | undefined,
): Node[] {
  const states = new Map<string, ReportedState | undefined>();
  for (const { kind, target, state } of connections ?? []) {
    if (kind !== 'subchannel' && state !== 'CONNECT_FAILURE') continue;
    states.set(target, states.has(target) && states.get(target) !== state ? undefined : state);
  }
  return nodes.map((node) => {
    const state = node.kind === 'endpoint' ? states.get(node.name) : undefined;
    if (state === undefined) return node;
    return { ...node, detail: [node.detail, state].filter((part) => part !== '').join(' · ') };
  });
}
