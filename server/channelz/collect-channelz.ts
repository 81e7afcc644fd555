import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { systemClock } from '../observe';
import { ChannelzPoller, type ChannelzPollerOptions } from './channelz-poller';
import { KnownServers } from './known-servers';

/** The options of a poller that cross the threads, without the id of its source. */
export type ChannelzSetup = Pick<
  ChannelzPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'keepaliveMs' | 'maxClients'
>;

export function collectChannelz({ marker }: CollectedParts): CollectedKind<ChannelzSetup> {
  const servers = new KnownServers();
  return {
    open: (sourceId, setup, { observe, onStatus }) =>
      new ChannelzPoller({
        ...{ sourceId, marker, servers, observe, onStatus, ...setup },
        clock: systemClock,
        random: Math.random,
      }),
    setServers: (addresses) => servers.setNamed(addresses),
  };
}
