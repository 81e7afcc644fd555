import type { LbNode } from '../../lb/tree/lb-node';
import { chooseByRank, fairShares } from './fair-shares';
import type { LbTreeNode } from './lb-tree-schema';

/** Limits for large trees: policies with siblings, and endpoints, in total and of one policy. */
const localitiesListed = 40;
const childrenListed = 130;
const endpointsListed = 60;
const endpointsListedOfOne = 12;

/**
 * Builds the tree of the API. Long lists are cut evenly, ignored entries are preferred, and the order is kept. Totals count all
 * entries.
 */
export function buildLbTreeNode(tree: LbNode): LbTreeNode {
  const parents = nodesOf(tree).filter(({ children }) => children.length > 1 && !children.some(hasChildren));
  const shares = fairShares(
    parents.map(({ children }) => children.length),
    localitiesListed,
  );
  const childrenOf = new Map(
    parents.map((parent, at) => [parent, chooseByRank(parent.children, shares[at] ?? 0, rankOf)]),
  );
  const listedOf = (node: LbNode): readonly LbNode[] =>
    childrenOf.get(node) ?? chooseByRank(node.children, childrenListed, rankOf);
  const leaves = nodesOf(tree, listedOf).filter(({ endpoints }) => endpoints.length > 0);
  const endpointShares = fairShares(
    leaves.map(({ endpoints }) => Math.min(endpoints.length, endpointsListedOfOne)),
    endpointsListed,
  );
  const endpointsOf = new Map(
    leaves.map((leaf, at) => [
      leaf,
      chooseByRank(leaf.endpoints, endpointShares[at] ?? 0, ({ use }) => (use === 'ignored' ? 0 : 1)),
    ]),
  );

  const build = (node: LbNode): LbTreeNode => {
    const { id, policy, name, label, use, reason, standing, listed, facts, children, endpoints } = node;
    return {
      ...{ id, policy, name, label, use, reason, standing },
      listed: listed.map((each) => ({ ...each })),
      facts: [...facts],
      children: listedOf(node).map(build),
      childrenTotal: children.length,
      endpoints: (endpointsOf.get(node) ?? []).map((each) => ({ ...each })),
      endpointsTotal: endpoints.length,
    };
  };
  return build(tree);
}

function hasChildren({ children }: LbNode): boolean {
  return children.length > 0;
}

/** Prefers ignored policies, then policies with ignored endpoints. */
function rankOf({ use, endpoints }: LbNode): number {
  if (use === 'ignored') return 0;
  return endpoints.some((endpoint) => endpoint.use === 'ignored') ? 1 : 2;
}

function nodesOf(
  node: LbNode,
  childrenOf: (node: LbNode) => readonly LbNode[] = ({ children }) => children,
): LbNode[] {
  return [node, ...childrenOf(node).flatMap((child) => nodesOf(child, childrenOf))];
}

export function findLbNode(node: LbNode, id: string): LbNode | undefined {
  if (node.id === id) return node;
  for (const child of node.children) {
    const found = findLbNode(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
