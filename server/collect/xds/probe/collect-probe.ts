import { systemClock } from '../../../observe';
import type { CollectedKind, CollectedParts } from '../../collector/serve-collector';
import type { XdsNode } from '../stream/xds-node';
import { Probe } from './probe';
import type { ProbeSettings } from './probe-settings';

export interface ProbeSetup {
  readonly settings: ProbeSettings;
  readonly node: XdsNode;
}

/** Garbage is collected around each larger response. */
const largeBytes = 16 * 1024 * 1024;

export function collectProbe({ codec, emptied }: CollectedParts): CollectedKind<ProbeSetup> {
  return {
    open: (sourceId, setup, handler) =>
      new Probe({
        ...{ sourceId, codec, ...setup, ...handler },
        clock: systemClock,
        whenReported: async (sizeBytes) => {
          const isLarge = sizeBytes > largeBytes;
          // The garbage of reading is collected before that of reporting adds up.
          if (isLarge) globalThis.gc?.();
          await emptied();
          if (isLarge) globalThis.gc?.();
        },
      }),
  };
}
