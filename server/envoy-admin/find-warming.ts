import type { HeldVersion } from '@/lib/observation/resource-state';
import type { ReportedResource } from '../codec/codec';

/** The version of a resource that warms. */
export function findWarming(
  row: ReportedResource,
): Pick<HeldVersion, 'versionInfo' | 'lastUpdated' | 'hash'> | undefined {
  if (row.stage === 'warming') return row;
  return row.otherVersions?.find(({ stage }) => stage === 'warming');
}
