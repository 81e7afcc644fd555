import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import { smallYoungHeapMb } from '../threads/small-young-heap';
import type { ChannelzPollerOptions } from './channelz-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type ChannelzSetup = Pick<
  ChannelzPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'keepaliveMs' | 'maxClients'
>;

export type ChannelzThread = SourceThread<ChannelzSetup>;

/** The thread of all channelz pollers, started with the first. */
export function createChannelzThread(
  options: Omit<SourceThreadOptions, 'worker' | 'plural'>,
): ChannelzThread {
  return new SourceThread({
    worker: 'channelz-worker',
    plural: 'channelz pollers',
    youngHeapMb: smallYoungHeapMb,
    ...options,
  });
}
