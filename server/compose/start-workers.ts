import { DescriptorSets } from '../answers/descriptor-sets/descriptor-sets';
import { SavedDescriptorSets } from '../answers/descriptor-sets/saved-descriptor-sets';
import { GraphBuilder } from '../answers/graph/graph-builder';
import { createCodec } from '../codec/codec';
import { makeCommonTypes } from '../codec/root';
import { Collector } from '../collect/collector/collector';
import { TapThreads } from '../collect/tap/tap-threads';
import { Differ } from '../compute/diff/differ';
import { Validator } from '../compute/validate/document-validator';
import type { Config } from '../config/config';
import type { CollectorSetups } from '../sources/collector-program';
import { Compute } from '../workers/compute';
import type { Storage } from './open-storage';

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/** Creates the threads that read for sources and answers. Each one starts with its first work. */
export async function startWorkers(config: Config, storage: Storage) {
  const { clock, recorder, redactionKey, keepPace } = storage;
  const parts = { redactionKey, clock, keepPace };
  const compute = new Compute();
  const codec = createCodec({ redactionKey, compute });
  // Builds the common message types at startup, because building them on first use blocks the event loop.
  makeCommonTypes();
  const collector: Collector<CollectorSetups> = new Collector(parts);
  const taps = new TapThreads(parts);
  const graphs = new GraphBuilder({ recorder, compute });
  const differ = new Differ({ recorder, compute });
  const validate = new Validator({ redactionKey, recorder, compute });
  const descriptorSets = new DescriptorSets({
    codec,
    saved: new SavedDescriptorSets(storage.kept.descriptorSets),
    onChange: (types) => {
      for (const threads of [collector, taps]) threads.setUserTypes(types);
      for (const worker of [graphs, validate, differ]) worker.renew();
    },
  });
  // The sets must be open before a source receives its first resource.
  await descriptorSets.open(config.descriptorSets);
  return {
    codec,
    compute,
    descriptorSets,
    collector,
    taps,
    graphs,
    differ,
    validate,
  };
}
