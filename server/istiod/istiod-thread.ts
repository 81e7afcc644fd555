import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import type { IstiodPollerOptions } from './istiod-poller';

/** What a poller is made of, apart from the id of its source. */
export type IstiodSetup = Pick<
  IstiodPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'keepaliveMs' | 'nodeId' | 'intervalMs' | 'maxClients'
>;

export type IstiodThread = SourceThread<IstiodSetup>;

/** The thread of all pollers of istiods, which begins with the first: the status of 10,000 proxies holds no page up. */
export function createIstiodThread(options: Omit<SourceThreadOptions, 'worker' | 'plural'>): IstiodThread {
  return new SourceThread({ worker: 'istiod-worker', plural: 'istiod pollers', ...options });
}
