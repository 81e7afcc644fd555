import type { ChildNumbers } from '@/lib/lb/grpc/child-numbers';
import { grpcClientOf } from '@/lib/lb/grpc-profile';
import { findStandings } from '@/lib/lb/simulator/find-standings';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { buildLbTree } from '@/lib/lb/tree/build-lb-tree';
import type { FindStanding, LbNode } from '@/lib/lb/tree/lb-node';
import { styleOf } from '@/lib/lb/tree/write-style';
import type { Resolver } from '@/lib/resolve/resolver';
import { type Profile, profileOfWho, type Who } from '@/lib/xds/profile';
import { resolverOver } from './resolve-mesh';
import { apiListener, type MeshResource, routeConfig } from './topology-mesh';

/** The tree of `cluster` for a client with a single route to it. */
export function lbTreeOf(
  who: Who,
  cluster: string,
  resources: readonly MeshResource[],
  before: ChildNumbers | null = null,
): LbNode {
  const mesh = [apiListener('shop', { rds: 'routes' }), routeConfig('routes', { '': cluster }), ...resources];
  const resolver = resolverOver(mesh, { profile: who });
  const profile = profileOfWho(who);
  return buildLbTree(
    {
      profile,
      style: styleOf(grpcClientOf(profile)),
      findCluster: (name) => resolver.findCluster(name),
      findNumbers: () => before,
      findStanding: standingsOf(resolver, profile, cluster),
    },
    cluster,
  );
}

function standingsOf(resolver: Resolver, profile: Profile, cluster: string): FindStanding {
  const traffic = trafficOfCluster(cluster, profile, (name) => resolver.findCluster(name));
  return typeof traffic === 'string' ? () => undefined : findStandings(traffic.cluster);
}

/** An indented line for each policy with its name as a child; ignored policies are in brackets. */
export function drawTree(node: LbNode, depth = 0): string[] {
  const named = node.name === '' ? node.policy : `${node.policy} (${node.name})`;
  const line = node.use === 'used' ? named : `[${named}]`;
  const endpoints = node.endpoints.map(({ address, use }) => (use === 'used' ? address : `[${address}]`));
  const reported = endpoints.length === 0 ? line : `${line}: ${endpoints.join(' ')}`;
  return [
    `${'  '.repeat(depth)}${reported}`,
    ...node.children.flatMap((child) => drawTree(child, depth + 1)),
  ];
}

export function findNode(node: LbNode, policy: string): LbNode | undefined {
  if (node.policy === policy) return node;
  for (const child of node.children) {
    const found = findNode(child, policy);
    if (found !== undefined) return found;
  }
  return undefined;
}
