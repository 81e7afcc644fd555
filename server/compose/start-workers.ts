import { GraphBuilder } from '../answers/graph/graph-builder';
import { createChannelzThread } from '../channelz/channelz-thread';
import { createCodec } from '../codec/codec';
import { makeCommonTypes } from '../codec/root';
import type { Config } from '../config/config';
import { createCsdsThread } from '../csds/csds-thread';
import { DescriptorSets } from '../descriptor-sets/descriptor-sets';
import { SavedDescriptorSets } from '../descriptor-sets/saved-descriptor-sets';
import { Differ } from '../diff/differ';
import { createEnvoyAdminThread } from '../envoy-admin/envoy-admin-thread';
import { createIstiodThread } from '../istiod/istiod-thread';
import { TapThreads } from '../tap/tap-threads';
import { Validator } from '../validate/document-validator';
import { createProbeThread } from '../xds/probe/probe-thread';
import type { Storage } from './open-storage';

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/** Creates the threads that read for sources and answers. Each one starts with its first work. */
export async function startWorkers(config: Config, storage: Storage) {
  const { clock, recorder, redactionKey, keepPace, openBodyChannel } = storage;
  const parts = { redactionKey, clock, keepPace, openBodyChannel };
  const codec = createCodec({ redactionKey });
  // Builds the common message types at startup, because building them on first use blocks the event loop.
  makeCommonTypes();
  const envoys = createEnvoyAdminThread(parts);
  const pollers = createCsdsThread(parts);
  const istiods = createIstiodThread(parts);
  const channelzPollers = createChannelzThread(parts);
  const probes = createProbeThread(parts);
  const taps = new TapThreads(parts);
  const graphs = new GraphBuilder({ recorder });
  const differ = new Differ({ recorder });
  const validate = new Validator({ redactionKey, recorder });
  const descriptorSets = new DescriptorSets({
    codec,
    saved: new SavedDescriptorSets(config.dataDir),
    onChange: (types) => {
      for (const thread of [probes, taps, pollers, istiods, channelzPollers, envoys])
        thread.setUserTypes(types);
      for (const worker of [graphs, validate, differ]) worker.renew();
    },
  });
  // The sets must be open before a source receives its first resource.
  await descriptorSets.open(config.descriptorSets);
  return {
    codec,
    descriptorSets,
    envoys,
    pollers,
    istiods,
    channelzPollers,
    probes,
    taps,
    graphs,
    differ,
    validate,
  };
}
