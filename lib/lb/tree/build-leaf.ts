import type { JsonObject } from '../../diff/json-object';
import { maxRequestsOf } from '../../model/admission';
import { assignmentOf } from '../../resolve/leaf-assignment';
import type { ClusterConfig } from '../../resolve/xds-config';
import type { GrpcClient, Profile } from '../../xds/profile';
import { childName } from '../grpc/child-names';
import { grpcClientOf, stateWithoutEndpoints } from '../grpc-profile';
import { buildPriorityChild } from './build-priority-child';
import { choosePolicy, type PolicyChoice } from './choose-policy';
import {
  clusterFacts,
  outlierFacts,
  writeDrops,
  writeOutlierDetection,
  writeReresolution,
} from './cluster-layers';
import type { LbNode } from './lb-node';
import { addNode, findLeafNumbers, type TreeContext } from './tree-context';
import { findUsedPriorities } from './used-priorities';
import { writePolicy } from './write-style';

interface LeafCluster {
  readonly cluster: string;
  readonly config: ClusterConfig;
  /** Index among the leaves of an aggregate. */
  readonly place: number;
  /** The aggregate whose policy is used; set for Go only. */
  readonly root?: ClusterConfig;
}

/** Layers that a client adds around a part of one cluster, outermost first. */
type Layer = 'outlier_detection' | 'xds_cluster_impl' | 'xds_override_host';

/** Since gRFC A75 these layers are above the priorities, once for each cluster; before, they were in each priority. */
const layersAbove: Readonly<Record<GrpcClient, readonly Layer[]>> = {
  core: ['outlier_detection', 'xds_cluster_impl', 'xds_override_host'],
  node: ['outlier_detection', 'xds_cluster_impl'],
  go: [],
  java: [],
};
const layersInside: Readonly<Record<GrpcClient, readonly Layer[]>> = {
  core: [],
  node: [],
  go: ['outlier_detection', 'xds_cluster_impl'],
  java: ['outlier_detection', 'xds_cluster_impl'],
};

/**
 * Section 5.2: the tree below cds for a leaf cluster. Go puts the priorities of all leaves, and thus several
 * clusters, into one policy.
 */
export function buildLeaf(context: TreeContext, id: string, ...clusters: readonly LeafCluster[]): LbNode {
  const { profile, style } = context;
  const client = grpcClientOf(profile);
  const [first] = clusters;
  const priorityId = `${id}/priority`;
  const children: LbNode[] = [];
  const configs: Record<string, JsonObject> = {};
  const order: string[] = [];
  for (const leaf of clusters) {
    const { cluster, config, place } = leaf;
    const choice = choiceOf(leaf, profile);
    const isDns = config.children.kind === 'dns';
    const found = findUsedPriorities(assignmentOf(config), client);
    // Drops apply even without endpoints, so there is one priority without endpoints. Node has none in this case.
    const isBare = found.length === 0 && client !== 'node';
    const priorities = isBare ? [{ priority: 0, localities: [], reason: '', keys: [] }] : found;
    const used = priorities.filter(({ reason }) => reason === '');
    const numbers = findLeafNumbers(context, cluster, used);
    for (const priority of priorities) {
      const at = used.indexOf(priority);
      const name = at < 0 ? '' : childName(client, cluster, isDns ? null : (numbers[at] ?? 0), place);
      const childId = `${priorityId}/${name || `${cluster} P${priority.priority}`}`;
      const inner = buildPriorityChild(context, childId, priority, choice);
      const wrapped = wrap(context, childId, layersInside[client], leaf, inner);
      const label = clusters.length > 1 ? `${cluster} P${priority.priority}` : `P${priority.priority}`;
      const standing = at < 0 ? undefined : context.findStanding(cluster, priority.priority);
      const ignored = at < 0 ? ({ use: 'ignored', reason: priority.reason, config: undefined } as const) : {};
      children.push({ ...wrapped, name, label: joinLabel(label, wrapped.label), standing, ...ignored });
      if (at < 0) continue;
      order.push(name);
      configs[name] = { config: [wrapped.config], ...writeReresolution(client, !isDns) };
    }
  }
  const priority = addNode(context, {
    id: priorityId,
    policy: 'priority',
    facts: [
      'one priority at a time: the first that is READY or IDLE, or that may still connect for 10 s',
      ...(order.length === 0 ? [`it has no priorities: ${stateWithoutEndpoints(profile)}`] : []),
    ],
    config: writePolicy(style, 'priority', { children: configs, priorities: order }),
    children,
  });
  return first === undefined ? priority : wrap(context, id, layersAbove[client], first, priority);
}

function joinLabel(one: string, other: string): string {
  return other === '' ? one : `${one}: ${other}`;
}

/** gRFC A61: DNS is one endpoint with all addresses. Node always uses pick_first for it. */
function choiceOf({ config: own, root }: LeafCluster, profile: Profile): PolicyChoice {
  const { balancing } = root ?? own;
  if (grpcClientOf(profile) !== 'node' || own.children.kind !== 'dns')
    return choosePolicy(balancing, profile);
  const fact = 'grpc-js-xds always uses pick_first for DNS';
  const config = { shuffleAddressList: false };
  const chosen = { policy: 'pick_first', facts: [fact], config, isLocalityPolicy: false, inner: null };
  return { chosen, listed: [], problem: '' };
}

function wrap(
  context: TreeContext,
  id: string,
  layers: readonly Layer[],
  leaf: LeafCluster,
  inner: LbNode,
): LbNode {
  return layers.reduceRight<LbNode>((child, layer) => buildLayer(context, id, layer, leaf, child), inner);
}

function buildLayer(
  context: TreeContext,
  id: string,
  layer: Layer,
  { cluster, config }: LeafCluster,
  child: LbNode,
): LbNode {
  const client = grpcClientOf(context.profile);
  const childPolicy = [child.config];
  const node = (facts: readonly string[], fields: JsonObject): LbNode =>
    addNode(context, {
      id: `${id}/${layer}`,
      policy: layer,
      facts,
      config: writePolicy(context.style, layer, { ...fields, childPolicy }),
      children: [child],
    });
  switch (layer) {
    case 'outlier_detection':
      if (client === 'java' && config.balancing.outlierDetection === null) return child;
      return node(outlierFacts(config, client), writeOutlierDetection(context, config));
    case 'xds_cluster_impl':
      return node(clusterFacts(config, client), implFields(context, cluster, config));
    case 'xds_override_host':
      return node(['keeps sessions on their endpoint if the route has a session cookie'], {
        clusterName: cluster,
      });
  }
}

function implFields({ profile }: TreeContext, cluster: string, config: ClusterConfig): JsonObject {
  const client = grpcClientOf(profile);
  if (client === 'core') return { clusterName: cluster };
  if (client !== 'java') return { cluster };
  const drops = writeDrops(config);
  return {
    cluster,
    edsServiceName: config.children.kind === 'endpoints' ? config.children.serviceName : undefined,
    maxConcurrentRequests: maxRequestsOf(config.balancing, client),
    dropCategories: drops.length > 0 ? drops : undefined,
  };
}
