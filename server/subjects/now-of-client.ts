import type { ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../client-id';
import type { Clock } from '../observe';

/** The newest moment that can be reported a client, or of all. */
export type NowOf = (clientId: string | undefined) => EpochMs;

/** A report reports the time before it: the steps that the last one ends in are whole by then. */
const lastStepsMs = 30_000;

/** Of a client of a file that is where its recording ends: nothing happened to it since. */
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
