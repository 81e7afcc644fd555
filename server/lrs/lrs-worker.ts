import { workerData } from 'node:worker_threads';
import type { NodeInfo } from '@/lib/observation/observation';
import { createCodec } from '../codec/codec';
import { type Emission, systemClock } from '../observe';
import { serveSources } from '../source-threads/serve-sources';
import type { SourceThreadData } from '../source-threads/source-thread';
import { createLoadReportReceiver } from './load-report-receiver';
import type { LrsSetup } from './lrs-thread';

const { redactionKey }: SourceThreadData = workerData;
const codec = createCodec({ redactionKey });

serveSources<LrsSetup>({
  open: (sourceId, { listen, request }, { observe, onStatus, whenSent }) => {
    const receiver = createLoadReportReceiver({
      ...{ sourceId, request, codec, whenSent, clock: systemClock },
      observe: (emission) => observe(withoutNode(emission)),
      // The main thread derives the clients from their streams; with thousands of clients, a copy for each status costs
      // more than everything else.
      onStatus: (status) => onStatus({ ...status, clients: new Map() }),
    });
    // The status reports a failure.
    const isListening = receiver.listen(listen).then(
      () => true,
      () => false,
    );
    return {
      start: async () => {
        if (await isListening) receiver.start();
      },
      pause: () => receiver.pause(),
      close: () => receiver.close(),
    };
  },
  setUserTypes: () => undefined,
});

const noNode: NodeInfo = {
  ...{ id: '', cluster: '', locality: null, userAgentName: '', userAgentVersion: '' },
  ...{ clientFeatures: [], metadata: {} },
};

/** The node of a stream does not change, so it is sent to the main thread once, when the stream is opened. */
function withoutNode(emission: Emission): Emission {
  const { observation } = emission;
  if (observation.kind !== 'load-reported') return emission;
  return { ...emission, observation: { ...observation, node: noNode } };
}
