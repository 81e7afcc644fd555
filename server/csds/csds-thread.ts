import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import { smallYoungHeapMb } from '../threads/small-young-heap';
import type { CsdsPollerOptions } from './csds-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type CsdsSetup = Pick<
  CsdsPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'side' | 'keepaliveMs' | 'maxClients'
>;

export type CsdsThread = SourceThread<CsdsSetup>;

/** The thread of all CSDS pollers of this process. Tens of thousands of answers a minute do not delay pages. */
export function createCsdsThread(options: Omit<SourceThreadOptions, 'worker' | 'plural'>): CsdsThread {
  return new SourceThread({
    worker: 'csds-poll-worker',
    plural: 'CSDS pollers',
    youngHeapMb: smallYoungHeapMb,
    ...options,
  });
}
