import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { systemClock } from '../observe';
import { IstiodPoller, type IstiodPollerOptions } from './istiod-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type IstiodSetup = Pick<
  IstiodPollerOptions,
  | 'target'
  | 'isNamed'
  | 'security'
  | 'serverName'
  | 'keepaliveMs'
  | 'nodeId'
  | 'metricsPort'
  | 'intervalMs'
  | 'maxClients'
>;

export function collectIstiod({ marker }: CollectedParts): CollectedKind<IstiodSetup> {
  let probedNodes: readonly string[] = [];
  return {
    open: (sourceId, setup, { observe, onStatus }) =>
      new IstiodPoller({
        ...{ sourceId, marker, observe, onStatus, ...setup },
        probedNodes: () => probedNodes,
        clock: systemClock,
        random: Math.random,
      }),
    setProbedNodes(nodeIds) {
      probedNodes = nodeIds;
    },
  };
}
