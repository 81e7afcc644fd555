import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { AdminReader } from './admin-reader';
import { EnvoyAdminPoller, type EnvoyAdminPollerOptions } from './poll';

/** The options of a poller that cross the threads, without the id of its source. */
export type EnvoyAdminSetup = Pick<EnvoyAdminPollerOptions, 'target' | 'isNamed' | 'intervalMs' | 'earlier'>;

/** The pollers of admin interfaces. No byte of an answer reaches the main thread. */
export function collectEnvoyAdmin({
  redactionKey,
  polling,
  compute,
  readingTurn,
}: CollectedParts): CollectedKind<EnvoyAdminSetup> {
  // The answers are read in another thread, because a dump of 200 MB takes seconds to read, while answers of other
  // Envoys arrive here.
  const answers = new AdminReader({ redactionKey, compute, beforeReading: readingTurn });
  return {
    open: (sourceId, setup, handler) =>
      new EnvoyAdminPoller({ sourceId, answers, ...polling, ...handler, ...setup }),
    onUserTypes: () => answers.renew(),
  };
}
