import type { NodeInfo } from '@/lib/observation/observation';
import { type Emission, systemClock } from '../../observe';
import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { createLoadReportReceiver, type ListenAddress } from './load-report-receiver';
import type { LoadReportRequest } from './load-report-request';

/** The parts of a receiver of load reports on a port of its own, without the id of its source. */
export interface LrsSetup {
  readonly listen: ListenAddress;
  readonly request?: Partial<LoadReportRequest>;
}

export function collectLrs({ codec, sent }: CollectedParts): CollectedKind<LrsSetup> {
  return {
    open: (sourceId, { listen, request }, { observe, onStatus }) => {
      const receiver = createLoadReportReceiver({
        ...{ sourceId, request, codec, whenSent: sent, clock: systemClock },
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
  };
}

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
