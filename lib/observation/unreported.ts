import type { EpochMs } from '../xds/units';
import type { ClientState } from './client-state';

/** Clients of files are kept as long as the file is imported. */
export function isUnreported({ reports }: Pick<ClientState, 'reports'>): boolean {
  for (const { goneAt, vantage } of reports.values()) if (goneAt === null || vantage === 'dump') return false;
  return true;
}

/** The time since which no source reports the client, if none does. */
export function newestEnd({ reports }: Pick<ClientState, 'reports'>): EpochMs {
  return Math.max(0, ...Array.from(reports.values(), ({ goneAt }) => goneAt ?? 0));
}
