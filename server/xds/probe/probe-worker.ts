import { workerData } from 'node:worker_threads';
import { createCodec } from '../../codec/codec';
import { systemClock } from '../../observe';
import { serveSources } from '../../source-threads/serve-sources';
import type { SourceThreadData } from '../../source-threads/source-thread';
import { Probe } from './probe';
import type { ProbeSetup } from './probe-thread';

/** Garbage is collected around each larger response, and whenever this much has been reported. */
const largeBytes = 16 * 1024 * 1024;
const { redactionKey }: SourceThreadData = workerData;
const codec = createCodec({ redactionKey });
let reportedBytes = 0;

serveSources<ProbeSetup>({
  open: (sourceId, setup, { emptied, ...handlers }) =>
    new Probe({
      ...{ sourceId, codec, ...setup, ...handlers },
      clock: systemClock,
      whenReported: async (sizeBytes) => {
        const isLarge = sizeBytes > largeBytes;
        // The garbage of reading is collected before that of reporting adds up.
        if (isLarge) globalThis.gc?.();
        await emptied();
        if (isLarge) globalThis.gc?.();
      },
    }),
  setUserTypes: (types) => codec.setUserTypes(types),
  onHandedOver: (sizeBytes) => {
    reportedBytes += sizeBytes;
    if (reportedBytes < largeBytes) return;
    reportedBytes = 0;
    globalThis.gc?.();
  },
});
