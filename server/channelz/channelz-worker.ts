import { workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import { setUserTypes } from '../codec/root';
import { systemClock } from '../observe';
import { serveSources } from '../source-threads/serve-sources';
import type { SourceThreadData } from '../source-threads/source-thread';
import { ChannelzPoller } from './channelz-poller';
import type { ChannelzSetup } from './channelz-thread';
import { KnownServers } from './known-servers';

const { redactionKey }: SourceThreadData = workerData;
const marker = createRedactionMarker(redactionKey);
const servers = new KnownServers();

serveSources<ChannelzSetup>({
  open: (sourceId, setup, { observe, onStatus }) =>
    new ChannelzPoller({
      ...{ sourceId, marker, servers, observe, onStatus, ...setup },
      clock: systemClock,
      random: Math.random,
    }),
  setUserTypes,
  setServers: (addresses) => servers.setNamed(addresses),
});
