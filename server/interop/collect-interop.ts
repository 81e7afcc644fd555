import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { systemClock } from '../observe';
import { InteropPoller, type InteropPollerOptions, type InteropRequest } from './interop-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type InteropSetup = Pick<
  InteropPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'keepaliveMs' | 'maxClients'
>;

export function collectInterop({ marker }: CollectedParts): CollectedKind<InteropSetup, InteropRequest> {
  return {
    open: (sourceId, setup, { observe, onStatus }) =>
      new InteropPoller({
        ...{ sourceId, marker, observe, onStatus, ...setup },
        clock: systemClock,
        random: Math.random,
      }),
  };
}
