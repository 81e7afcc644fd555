import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import type { IstiodPollerOptions } from './istiod-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type IstiodSetup = Pick<
  IstiodPollerOptions,
  | 'target'
  | 'isNamed'
  | 'security'
  | 'serverName'
  | 'keepaliveMs'
  | 'nodeId'
  | 'metricsPort'
  | 'intervalMs'
  | 'maxClients'
>;

export type IstiodThread = SourceThread<IstiodSetup>;

/** The thread of all istiod pollers, started with the first. The status of 10,000 proxies does not delay pages. */
export function createIstiodThread(options: Omit<SourceThreadOptions, 'worker' | 'plural'>): IstiodThread {
  return new SourceThread({ worker: 'istiod-worker', plural: 'istiod pollers', ...options });
}
