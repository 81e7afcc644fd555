import type { ClientState } from '@/lib/observation/client-state';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';

/** The newest moment of a client, or of all clients. */
export type NewestMomentOf = (clientId: string | undefined) => EpochMs;

/** A report covers the time before it, so the last steps are complete after this time. */
const lastStepsMs = 30_000;

/** Returns the end of its recording for a client of a file, and the current time for others. */
export function newestMomentOf(
  clock: Clock,
  find: (clientId: string) => Pick<ClientState, 'reports'> | undefined,
): NewestMomentOf {
  return (clientId) => {
    const now = clock.now();
    const reports = clientId === undefined ? [] : [...(find(clientId)?.reports.values() ?? [])];
    if (!isImportedClient({ reports })) return now;
    return Math.min(now, Math.max(...reports.map(({ lastChangedAt }) => lastChangedAt)) + lastStepsMs);
  };
}
