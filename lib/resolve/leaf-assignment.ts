import { type LoadAssignment, noAssignment } from '../model/endpoints';
import type { ClusterConfig } from './xds-config';

/** The endpoints of a leaf cluster. For LOGICAL_DNS, all addresses are in one locality. */
export function assignmentOf({ children }: ClusterConfig): LoadAssignment {
  if (children.kind === 'endpoints') return children.endpoints ?? noAssignment;
  if (children.kind !== 'dns') return noAssignment;
  const assignment = children.resolved ?? children.assignment;
  if (assignment !== null) return assignment;
  const endpoints = children.hosts.map((address) => ({
    address,
    additionalAddresses: [],
    hostname: address,
    health: 'UNKNOWN',
  }));
  const group = { index: 0, weight: 1, endpoints, ledsCollection: '' };
  return { ...noAssignment, priorities: [{ priority: 0, localities: [group] }] };
}
