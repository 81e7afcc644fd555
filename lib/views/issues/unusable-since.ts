import type { Connection } from '../../observation/connection';
import type { EpochMs } from '../../xds/units';

/** The time since which no host is usable; undefined: one is, or it is not reported. */
export function unusableSince(hosts: readonly Connection[]): EpochMs | undefined {
  const isUsable = hosts.some(({ state }) => state === 'HEALTHY' || state === 'DEGRADED');
  if (hosts.length === 0 || isUsable) return undefined;
  return Math.max(...hosts.map(({ failingSince, since }) => failingSince ?? since));
}
