import { CDS, EDS } from '@/lib/xds/resource-type';
import { aggregateCluster, type MeshResource } from '../../support/builders/topology-mesh';
import type { Flavor } from '../peer';
import type { CaseCluster, CaseMember, LbCase } from './cases';

const statuses: Readonly<Record<string, string>> = {
  ...{ H: 'HEALTHY', X: 'HEALTHY', N: 'UNKNOWN', U: 'UNHEALTHY' },
  ...{ D: 'DRAINING', G: 'DEGRADED', T: 'TIMEOUT' },
};

export interface Pools {
  readonly open: readonly number[];
  readonly closed: readonly number[];
}

export interface Served {
  readonly resources: readonly MeshResource[];
  /** Members of an aggregate that do not exist. */
  readonly missing: readonly string[];
  /** Addresses that reject connections. */
  readonly dead: readonly string[];
}

/** Takes a port for an endpoint: one that rejects connections for "X". */
type TakePort = (letter: string) => number;

/** The resources of a case; of an aggregate, with those of its members. */
export function serveCase(each: LbCase, { open, closed }: Pools, flavor: Flavor): Served {
  const dead: string[] = [];
  let [opened, rejecting] = [0, 0];
  const takePort = (letter: string): number => {
    if (letter !== 'X') return open[opened++] ?? 0;
    const port = closed[rejecting++] ?? 0;
    dead.push(`127.0.0.1:${port}`);
    return port;
  };
  if (each.members === undefined)
    return { resources: serveCluster(each.name, each, takePort), missing: [], dead };
  const members = each.members.map((member, at) => ({ name: `${each.name}-${at}`, member }));
  const aggregate = aggregateCluster(
    each.name,
    members.map(({ name }) => name),
  );
  // Envoy requires this policy, and gRPC rejects it.
  const lbPolicy = flavor === 'envoy' ? { lbPolicy: 'CLUSTER_PROVIDED' } : {};
  const body = { ...aggregate.body, connectTimeout: '1s', ...lbPolicy, ...each.cluster };
  return {
    resources: [
      { ...aggregate, body },
      ...members.flatMap(({ name, member }) => serveMember(name, member, takePort)),
    ],
    missing: members.flatMap(({ name, member }) => (member === 'missing' ? [name] : [])),
    dead,
  };
}

function serveMember(name: string, member: CaseMember, takePort: TakePort): MeshResource[] {
  if (member === 'missing') return [];
  if (member !== 'dns') return serveCluster(name, member, takePort);
  const endpoint = { address: addressOf(takePort('H')) };
  const loadAssignment = { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint }] }] };
  return [
    { typeUrl: CDS.typeUrl, name, body: { name, type: 'LOGICAL_DNS', connectTimeout: '1s', loadAssignment } },
  ];
}

function serveCluster(
  name: string,
  { cluster, localities, policy }: CaseCluster,
  takePort: TakePort,
): MeshResource[] {
  const endpoints = localities.map(({ priority = 0, weight = 1, hosts, hostWeights = [] }, at) => ({
    locality: { region: 'r', zone: `z${at}` },
    ...(priority > 0 && { priority }),
    ...(weight !== null && { loadBalancingWeight: weight }),
    lbEndpoints: [...hosts].map((letter, place) => ({
      endpoint: { address: addressOf(takePort(letter)) },
      healthStatus: statuses[letter] ?? 'UNKNOWN',
      loadBalancingWeight: hostWeights[place] ?? 1,
    })),
  }));
  const edsConfig = { ads: {}, resourceApiVersion: 'V3' };
  const body = { name, type: 'EDS', edsClusterConfig: { edsConfig }, connectTimeout: '1s', ...cluster };
  return [
    { typeUrl: CDS.typeUrl, name, body },
    { typeUrl: EDS.typeUrl, name, body: { clusterName: name, endpoints, ...(policy && { policy }) } },
  ];
}

function addressOf(portValue: number) {
  return { socketAddress: { address: '127.0.0.1', portValue } };
}
