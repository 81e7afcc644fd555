import type { Divergence } from '@/lib/views/propagation/schema';
import type { Config } from '../config/config';
import { forgetVanished } from '../live/forget-vanished';
import type { LiveState } from '../live/live-state';
import { VariantCheck } from '../live/propagation/variant-check';
import type { Clock } from '../observe';
import type { SourceRegistry } from '../sources/source-registry';
import { keepCheckpoints } from './checkpoints';
import type { State } from './create-state';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

export type Upkeep = ReturnType<typeof startUpkeep>;

interface UpkeepParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly registry: SourceRegistry;
  readonly state: State;
}

/** Starts the check of probe variants, the removal of clients that vanished, and checkpoints, at intervals. */
export function startUpkeep({ config, storage, workers, registry, state }: UpkeepParts) {
  const { clock, recorder, removedSources, nodeChanges, holding } = storage;
  const { live, freshnessOf, lifetimes, isSource } = state;
  const variants = new VariantCheck({
    ...{ clock, live, freshnessOf, differ: workers.differ },
    listProbes: () => (holding.isWhole ? registry.listProbes() : []),
    publish: (finding, change) => announceDivergence(live, clock, finding, change),
  });
  variants.start();
  const stopForgetting = forgetVanished({
    ...{ clock, live, isSource, maxAgeMs: config.retention.maxAgeMs, mayForget: () => holding.isWhole },
    oldestAt: () => recorder.stats().oldestAt,
  });
  const checkpoints = keepCheckpoints({
    ...{ live, recorder },
    maySave: () => holding.isWhole && holding.isFolder,
    saveBeside: async () => {
      await removedSources.save(live.removedProbes);
      await nodeChanges.save(state.nodes);
    },
  });
  // A run that was killed may have left clients of removed sources in the checkpoint.
  void removedSources.drop(removedSources.removed.filter(isSource), live.removedProbes);
  for (const sourceId of removedSources.removed) void lifetimes.sourceRemoved(sourceId, false);
  return {
    variants,
    checkpoints,
    /** Checkpoints continue: the last one is written when everything else has ended. */
    stop: (): void => {
      variants.close();
      stopForgetting();
      lifetimes.close();
      state.stopFollowing();
    },
  };
}

/** Publishes that the two variants of the protocol begin or cease to deliver different content of a resource. */
function announceDivergence(
  live: Pick<LiveState, 'seq' | 'announce' | 'world'>,
  clock: Clock,
  { service, name, typeUrl, text, target, delta }: Divergence,
  state: 'raised' | 'resolved',
): void {
  const isTrouble = state === 'raised';
  live.announce({
    seq: live.seq,
    at: clock.now(),
    kind: isTrouble ? 'sotw-delta-divergence' : 'sotw-delta-agree-again',
    vantage: 'probe',
    clientId: delta.clientId === '' ? undefined : delta.clientId,
    nodeId: live.world.get(delta.clientId)?.node.id,
    sourceId: delta.sourceId,
    typeUrl,
    resourceName: name,
    status: undefined,
    text: `${service} ${name}: ${isTrouble ? text : `state of the world and delta of ${target} agree again`}`,
    isTrouble,
  });
}
