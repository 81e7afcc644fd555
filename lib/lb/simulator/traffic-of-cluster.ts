import { formatLocality } from '../../format/locality';
import type { ClusterConfig, ClusterEntry } from '../../resolve/xds-config';
import type { ClientKind } from '../client-kind';
import { defaultOverprovisioningFactor } from '../envoy/availability';
import { choosePolicy } from '../tree/choose-policy';
import { dropPercentOf } from '../tree/cluster-layers';
import {
  type EndpointPolicy,
  endpointPolicies,
  type TrafficCluster,
  type TrafficPriority,
} from './traffic-cluster';

export interface ClusterTraffic {
  readonly cluster: TrafficCluster;
  /** Share of all requests that is dropped before an endpoint is chosen, in per cent. */
  readonly dropPercent: number;
  /** Differences from the config alone, one sentence each. */
  readonly notes: readonly string[];
  readonly envoyNotes: readonly string[];
}

const defaultPanicThreshold = 50;

/**
 * A cluster of the resolved config, or an aggregate with the priorities of all its leaves. Returns a string with the
 * reason if there is none.
 */
export function trafficOfCluster(
  name: string,
  kind: ClientKind,
  findCluster: (name: string) => ClusterEntry | undefined,
): ClusterTraffic | string {
  const config = configOf(findCluster(name));
  if (typeof config === 'string') return `cluster "${name}": ${config}`;
  const isAggregate = config.children.kind === 'aggregate';
  const notes: string[] = [];
  const envoyNotes: string[] = [];
  const leaves: { readonly name: string; readonly config: ClusterConfig }[] = [];
  if (config.children.kind === 'aggregate') {
    for (const leaf of config.children.leafClusters) {
      const found = configOf(findCluster(leaf));
      if (typeof found === 'string') notes.push(`leaf cluster "${leaf}": ${found}`);
      else leaves.push({ name: leaf, config: found });
    }
    for (const { name: member, reason } of config.children.skipped)
      notes.push(`leaf cluster "${member}" is skipped: ${reason}`);
    for (const member of config.children.waiting) notes.push(`leaf cluster "${member}": not reported yet`);
    envoyNotes.push('an aggregate: Envoy treats the priorities of all leaf clusters as one list');
  } else leaves.push({ name, config });
  const first = leaves[0]?.config ?? config;
  const policyOf = isAggregate && kind === 'go' ? config : first;
  const assignment = first.children.kind === 'endpoints' ? first.children.endpoints : null;
  const { balancing } = first;
  const cluster: TrafficCluster = {
    priorities: leaves.flatMap((leaf) => prioritiesOf(leaf.name, leaf.config, isAggregate)),
    kind,
    policy: endpointPolicyOf(policyOf, kind),
    overprovisioningFactor: assignment?.overprovisioningFactor ?? defaultOverprovisioningFactor,
    weightedPriorityHealth: assignment?.weightedPriorityHealth ?? false,
    panicThreshold: Math.round(balancing.panicThreshold ?? defaultPanicThreshold),
    isLocalityWeighted: balancing.isLocalityWeighted || hasLocalityPolicy(first),
  };
  if (leaves.some((leaf) => leaf.config.children.kind === 'dns'))
    notes.push('a DNS name counts as one endpoint, because its addresses are not known');
  if (!cluster.isLocalityWeighted && cluster.priorities.some(({ localities }) => localities.length > 1))
    envoyNotes.push(
      'the cluster has no locality_weighted_lb_config: Envoy ignores the weights of localities',
    );
  return { cluster, dropPercent: dropPercentOf(first), notes, envoyNotes };
}

function configOf(entry: ClusterEntry | undefined): ClusterConfig | string {
  if (entry === undefined) return 'the client does not have it';
  if (entry.config === null) return entry.missing[0]?.text ?? 'not reported yet';
  return entry.config.ok ? entry.config.value : entry.config.error;
}

function prioritiesOf(cluster: string, { children }: ClusterConfig, isLeaf: boolean): TrafficPriority[] {
  const nameOf = (priority: number): string => (isLeaf ? `${cluster} P${priority}` : `P${priority}`);
  if (children.kind === 'dns') {
    const endpoints = children.hosts.map((address) => ({ address, health: 'UNKNOWN', weight: 1 }));
    const localities = [{ name: formatLocality(null), weight: 1, endpoints }];
    return [{ name: nameOf(0), cluster, priority: 0, localities }];
  }
  const { priorities = [] } = children.kind === 'endpoints' ? (children.endpoints ?? {}) : {};
  return priorities.map(({ priority, localities }) => ({
    name: nameOf(priority),
    cluster,
    priority,
    localities: localities.map(({ locality, weight, endpoints }) => ({
      name: formatLocality(locality),
      weight,
      endpoints: endpoints.map((each) => ({
        address: each.address,
        health: each.health,
        weight: each.weight ?? 1,
      })),
    })),
  }));
}

function endpointPolicyOf({ balancing, children }: ClusterConfig, kind: ClientKind): EndpointPolicy {
  if (kind === 'node' && children.kind === 'dns') return 'pick_first';
  const { chosen } = choosePolicy(balancing, kind);
  const leaf = chosen?.inner?.chosen ?? chosen;
  return endpointPolicies.find((policy) => policy === leaf?.policy) ?? 'other';
}

function hasLocalityPolicy({ balancing }: ClusterConfig): boolean {
  return balancing.policies?.[0]?.typeName.endsWith('.WrrLocality') ?? false;
}
