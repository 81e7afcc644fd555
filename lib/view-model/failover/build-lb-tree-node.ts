import type { LbTreeNode } from '../../api/lb-tree';
import type { LbNode } from '../../lb/tree/lb-node';

const childrenListed = 100;
const endpointsListedOfOne = 50;
const endpointsListedOfAll = 300;

/** As the API tells it: what is long is cut, its length is whole. */
export function buildLbTreeNode(node: LbNode, budget = { endpoints: endpointsListedOfAll }): LbTreeNode {
  const { id, policy, name, label, use, reason, standing, listed: list, facts, children, endpoints } = node;
  const listed = endpoints.slice(0, Math.min(endpointsListedOfOne, budget.endpoints));
  budget.endpoints -= listed.length;
  return {
    id,
    policy,
    name,
    label,
    use,
    reason,
    standing,
    listed: list.map((each) => ({ ...each })),
    facts: [...facts],
    children: children.slice(0, childrenListed).map((child) => buildLbTreeNode(child, budget)),
    childrenTotal: children.length,
    endpoints: listed.map((each) => ({ ...each })),
    endpointsTotal: endpoints.length,
  };
}

export function findLbNode(node: LbNode, id: string): LbNode | undefined {
  if (node.id === id) return node;
  for (const child of node.children) {
    const found = findLbNode(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
