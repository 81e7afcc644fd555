import { workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import { setUserTypes } from '../codec/root';
import { systemClock } from '../observe';
import { serveSources } from '../source-threads/serve-sources';
import type { SourceThreadData } from '../source-threads/source-thread';
import { IstiodPoller } from './istiod-poller';
import type { IstiodSetup } from './istiod-thread';

const { redactionKey }: SourceThreadData = workerData;
const marker = createRedactionMarker(redactionKey);
let probedNodes: readonly string[] = [];

serveSources<IstiodSetup>({
  open: (sourceId, setup, { observe, onStatus }) =>
    new IstiodPoller({
      ...{ sourceId, marker, observe, onStatus, ...setup },
      probedNodes: () => probedNodes,
      clock: systemClock,
      random: Math.random,
    }),
  setUserTypes,
  setProbedNodes(nodeIds) {
    probedNodes = nodeIds;
  },
});
