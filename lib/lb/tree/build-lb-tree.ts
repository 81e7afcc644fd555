import { statusOfCluster } from '../../resolve/xds-config';
import { grpcClientOf } from '../grpc-profile';
import { buildLeaf } from './build-leaf';
import { whyLeafRejected } from './choose-policy';
import { writeReresolution } from './cluster-layers';
import type { LbNode } from './lb-node';
import { addNode, type TreeContext } from './tree-context';
import { writePolicy } from './write-style';

/** Section 5.1: the tree that a channel builds for one cluster of its config. */
export function buildLbTree(context: TreeContext, cluster: string): LbNode {
  const target = `cluster:${cluster}`;
  const id = 'xds_cluster_manager';
  const child = buildCds(context, `${id}/${target}`, cluster, target);
  const children = { [target]: { [context.style.field('childPolicy')]: [child.config] } };
  return addNode(context, {
    id,
    policy: 'xds_cluster_manager',
    facts: ['each request goes to the cluster that its route chose'],
    config: writePolicy(context.style, 'xds_cluster_manager', { children }),
    children: [child],
  });
}

/** Section 5.2: the tree of a leaf or of an aggregate. Java and Go build aggregates differently. */
function buildCds(context: TreeContext, id: string, cluster: string, name: string): LbNode {
  const entry = context.findCluster(cluster);
  const config = writePolicy(context.style, 'cds', { cluster });
  const cds = (more: Partial<LbNode>): LbNode =>
    addNode(context, { id, policy: 'cds', name, label: `cluster "${cluster}"`, config, ...more });
  const ignored = (reason: string): LbNode => cds({ use: 'ignored', reason });
  if (entry === undefined) return ignored('the cluster is not reported');
  if (entry.config === null) return ignored(entry.missing[0]?.text ?? 'not reported yet');
  if (!entry.config.ok) return ignored(`requests to it fail: ${entry.config.error}`);
  const { value } = entry.config;
  const facts = statusOfCluster(entry) === 'waiting' ? ['its endpoints are not known yet'] : [];
  if (value.children.kind === 'other') {
    return ignored(`gRPC does not support this cluster: ${value.children.resolutionNote}`);
  }
  if (value.children.kind !== 'aggregate') {
    return cds({ facts, children: [buildLeaf(context, `${id}/leaf`, { cluster, config: value, place: 0 })] });
  }
  const { leafClusters, skipped, waiting } = value.children;
  const absent = [
    ...skipped.map((each) => ({ leaf: each.name, reason: `skipped: ${each.reason}` })),
    ...waiting.map((leaf) => ({ leaf, reason: 'not reported yet' })),
  ].map(({ leaf, reason }) =>
    addNode(context, {
      ...{ id: `${id}/absent/${leaf}`, policy: 'cds', name: leaf, label: `cluster "${leaf}"` },
      ...{ use: 'ignored', reason },
    }),
  );
  const client = grpcClientOf(context.profile);
  if (client === 'go') {
    const leaves = leafClusters.map((leaf) => ({ leaf, found: context.findCluster(leaf) }));
    const known = leaves.flatMap(({ leaf, found }, place) =>
      found?.config?.ok === true ? [{ cluster: leaf, config: found.config.value, place }] : [],
    );
    const policyNote = `its lb_policy is used for all ${known.length} leaf clusters (before gRFC A75)`;
    const child = buildLeaf(context, `${id}/leaf`, ...known.map((each) => ({ ...each, root: value })));
    return cds({ facts: [...facts, policyNote], children: [child, ...absent] });
  }
  const leaves = leafClusters.map((leaf) => {
    const node = buildCds(context, `${id}/priority/${leaf}`, leaf, leaf);
    const found = context.findCluster(leaf);
    const reason = found?.config?.ok === true ? whyLeafRejected(found.config.value, context.profile) : '';
    if (reason !== '') return { ...node, use: 'ignored' as const, reason };
    return node.use === 'used' ? { ...node, standing: context.findStanding(leaf, null) } : node;
  });
  const used = leaves.filter(({ use }) => use === 'used');
  const children = Object.fromEntries(
    used.map(({ name: leaf, config: own }) => [leaf, { config: [own], ...writeReresolution(client, false) }]),
  );
  const priority = addNode(context, {
    id: `${id}/priority`,
    policy: 'priority',
    facts: ['leaf clusters in order: the next one is used when all priorities of one have failed'],
    config: writePolicy(context.style, 'priority', {
      children,
      priorities: used.map(({ name: leaf }) => leaf),
    }),
    children: [...leaves, ...absent],
  });
  return cds({
    facts: [...facts, 'its lb_policy is ignored: leaf clusters have their own'],
    children: [priority],
  });
}
