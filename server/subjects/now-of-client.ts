import type { ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../client-id';
import type { Clock } from '../observe';

/** The newest moment of a client, or of all clients. */
export type NowOf = (clientId: string | undefined) => EpochMs;

/** A report covers the time before it: the last steps are complete after this time. */
const lastStepsMs = 30_000;

/** The end of its recording for a client of a file, and the current time for others. */
export function nowOfClient(
  clock: Clock,
  find: (clientId: string) => Pick<ClientState, 'reports'> | undefined,
): NowOf {
  return (clientId) => {
    const now = clock.now();
    if (clientId === undefined || !isImportedClient(clientId)) return now;
    const heard = [...(find(clientId)?.reports.values() ?? [])].map(({ lastChangedAt }) => lastChangedAt);
    return heard.length === 0 ? now : Math.min(now, Math.max(...heard) + lastStepsMs);
  };
}
