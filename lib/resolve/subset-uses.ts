import type { ClusterBalancing } from '../model/cluster-balancing';
import { describeSubsets, envoyPolicyOf } from '../model/envoy-policy';
import type { Profile } from '../xds/profile';
import { chooseForRequest } from './choose-for-request';
import { noteOfSubset, withPanic } from './cluster-endpoints';
import { describeEndpointUse } from './endpoint-use';
import { assignmentOf } from './leaf-assignment';
import { describeSubsetRequests, type SubsetRequests } from './subset-requests';
import { type ClusterConfig, type ClusterEntry, type SubsetUse, statusOfCluster } from './xds-config';
import { findZoneFailure } from './zone-routing';

/** Limits the kinds of requests to a cluster of which each is resolved. */
export const mostSubsetRequests = 50;
const mostNamed = 3;

/** True if the metadata of a request decides which endpoints of the cluster it can reach. */
export function choosesSubset({ config }: ClusterEntry): boolean {
  if (config?.ok !== true) return false;
  const { children, balancing } = config.value;
  const hasHosts = children.kind === 'dns' || (children.kind === 'endpoints' && children.endpoints !== null);
  return hasHosts && envoyPolicyOf(balancing).subset !== null;
}

/**
 * Adds what an Envoy does with the requests to the cluster, which chooses a subset of its hosts for each. Precondition:
 * choosesSubset().
 */
export function withSubsets(
  entry: ClusterEntry,
  requests: readonly SubsetRequests[],
  profile: Profile,
): ClusterEntry {
  if (entry.config?.ok !== true) return entry;
  const { notModelled: _, subsets: _before, ...config } = entry.config.value;
  const { breaker, notModelledOfRequest, balancing } = config;
  const subsets =
    requests.length > mostSubsetRequests
      ? []
      : requests.map((each) => subsetUseOf(entry, config, each, profile));
  const isSame = new Set(subsets.map(({ status }) => status)).size === 1 && subsets[0]?.status !== 'unknown';
  const decides = isSame ? undefined : describeDifference(subsets, balancing);
  const notModelled = [breaker, decides, notModelledOfRequest].filter(Boolean).join('; ');
  const value: ClusterConfig = {
    ...config,
    ...(notModelled !== '' && { notModelled }),
    ...(requests.length > 0 && { subsets }),
  };
  return { ...entry, config: { ok: true, value } };
}

function describeDifference(subsets: readonly SubsetUse[], balancing: ClusterBalancing): string {
  if (subsets.every(({ status }) => status === 'unknown')) {
    const doubts = new Set(subsets.flatMap(({ requests: { doubt } }) => doubt ?? []));
    return [describeSubsets(balancing), ...doubts].join(', and ');
  }
  const outcomes = [
    ['error', 'fail'],
    ['unknown', 'may fail'],
  ] as const;
  const parts = outcomes.flatMap(([status, verb]) => {
    const found = subsets.filter((each) => each.status === status);
    const named = found.slice(0, mostNamed).map(({ requests }) => describeSubsetRequests(requests));
    const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
    return found.length === 0
      ? []
      : [`${found.length} of ${subsets.length} kinds of requests ${verb}: ${named.join(', ')}${more}`];
  });
  return `lb_subset_config: the metadata of the route decides; ${parts.join('; ')}`;
}

function subsetUseOf(
  entry: ClusterEntry,
  config: ClusterConfig,
  requests: SubsetRequests,
  profile: Profile,
): SubsetUse {
  const { criteria, doubt } = requests;
  if (doubt !== undefined) return { requests, status: 'unknown', text: doubt };
  const { config: chosen, subset } = chooseForRequest(config, { criteria, isAdmitted: true });
  const { children, notModelled, zone } = chosen;
  if (subset === undefined || notModelled !== undefined || children.kind === 'aggregate')
    return {
      requests,
      status: 'unknown',
      text: notModelled ?? 'the addresses of its hosts are not reported',
    };
  if (children.kind === 'other') return { requests, status: 'unknown', text: children.resolutionNote };
  const assignment = assignmentOf(chosen);
  const { use: stated } = describeEndpointUse(assignment, chosen.resource, profile, config.balancing);
  const use = withPanic(stated, assignment, config.balancing);
  const zoneFailure = zone && findZoneFailure(zone, assignment);
  const value = { ...chosen, zoneFailure, children: { ...children, use } };
  const status = statusOfCluster({ ...entry, config: { ok: true, value } });
  const note = zoneFailure ?? noteOfSubset(assignment, use);
  return {
    requests,
    status: status === 'error' || status === 'ok' ? status : 'unknown',
    text: [subset, note].filter((text) => text !== '').join('; '),
  };
}
