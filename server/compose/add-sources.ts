import { messageOf } from '@/lib/format/message-of';
import type { TestClients } from '../collect/interop/test-clients';
import { LrsThread } from '../collect/lrs/lrs-thread';
import type { Config } from '../config/config';
import { ConfigError } from '../config-error';
import type { SourceLeases } from '../forwarding/source-leases';
import { describeSource, type NamedSource } from '../sources/describe-source';
import { listMembers } from '../sources/list-members';
import type { SourceSetup } from '../sources/source-kinds';
import type { SourceRegistry, StartSource } from '../sources/source-registry';
import { createSourceStarter, type StarterOf, startNothing } from '../sources/source-starter';
import type { State } from './create-state';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

export type Sources = Awaited<ReturnType<typeof addSources>>;

interface SourcesParts {
  readonly config: Config;
  readonly version: string;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly registry: SourceRegistry;
  readonly state: State;
  readonly testClients: TestClients;
  /** Present if other collectors may have the same sources. */
  readonly leases: SourceLeases | undefined;
}

/** Starts the sources of flags, environment and config file, then those that were added in the browser. */
export async function addSources({
  config,
  version,
  storage,
  workers,
  registry,
  state,
  testClients,
  leases,
}: SourcesParts) {
  const { clock, redactionKey, keepPace, savedSources } = storage;
  const { observe, forgetSource, reportsOf } = state;
  const receivers = new LrsThread({ redactionKey, clock, keepPace });
  const ownStarterOf: StarterOf = createSourceStarter({
    ...{ ...workers, receivers, observe, clock, version, intervalsMs: config.intervalsMs },
    ...{ keepaliveMs: config.keepaliveMs, maxClients: config.clientLimits.perSource },
    ...{ forget: forgetSource, reportsOf, testClients },
    membersOf: (listId, setup) => listMembers({ listId, setup }, { registry, starterOf }),
  });
  const starterOf = leases?.wrap(ownStarterOf) ?? ownStarterOf;
  const isPaused = (id: string): boolean => savedSources.content.pausedIds.includes(id);
  const add = (
    source: NamedSource & { readonly id: string },
    setup: SourceSetup,
    paused = isPaused(source.id),
  ): void => {
    if (registry.has(source.id)) return;
    const description = describeSource(source, setup, source.id);
    registry.add(description, starterOf(description, setup), paused);
  };
  const addRunning = (source: NamedSource, start: StartSource): void => {
    const description = describeSource(source, null);
    if (!registry.has(description.id)) registry.add(description, start, isPaused(description.id));
  };

  for (const { setup, ...source } of config.sources) add({ kind: setup.kind, ...source }, setup);
  for (const saved of savedSources.content.sources) {
    const { setup, problem, ...source } = savedSources.setUp(saved);
    const named = { ...source, label: saved.label, origin: 'browser' } as const;
    if (problem === null) add(named, setup, saved.paused);
    else if (!registry.has(source.id)) {
      registry.add(describeSource(named, setup, source.id), startNothing(problem), saved.paused);
    }
  }
  await receivers.whenListening().catch((cause: unknown) => {
    throw new ConfigError(`--lrs-listen: ${messageOf(cause)}`);
  });
  return { starterOf, add, addRunning, receivers };
}
