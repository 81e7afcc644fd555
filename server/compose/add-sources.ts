import type { Config } from '../config/config';
import { sourceIdOf } from '../config/source-id';
import type { SourceSetup } from '../config/source-setup';
import { ConfigError } from '../config-error';
import { LrsThread } from '../lrs/lrs-thread';
import { declarationOf, describeSource, type NamedSource } from '../sources/describe-source';
import { listMembers } from '../sources/list-members';
import { startNothing } from '../sources/source-not-started';
import type { SourceRegistry, StartSource } from '../sources/source-registry';
import { createSourceStarter, type StarterOf } from '../sources/source-starter';
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
}

/** Starts the sources of flags, environment and config file, then those that were added in the browser. */
export async function addSources({ config, version, storage, workers, registry, state }: SourcesParts) {
  const { clock, redactionKey, keepPace, savedFile, savedSources } = storage;
  const { observe, forgetSource } = state;
  const starterOf: StarterOf = createSourceStarter({
    ...{ ...config, ...workers, observe, clock, version },
    maxClients: config.clientLimits.perSource,
    forget: forgetSource,
    membersOf: (listId, setup) => listMembers({ listId, setup }, { registry, starterOf }),
  });
  const isPaused = (id: string): boolean => savedSources.pausedIds.includes(id);
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

  const configured = {
    csds: config.csds,
    'csds-list': config.csdsLists,
    'envoy-admin': config.envoyAdmin,
    istiod: config.istiod,
    ads: config.ads,
    tap: config.taps,
  } as const;
  for (const [kind, targets] of Object.entries(configured)) {
    for (const { setup, ...target } of targets) {
      add({ kind: kind as keyof typeof configured, ...target }, setup);
    }
  }
  for (const saved of savedSources.sources) {
    const { setup, problem, ...source } = savedFile.setUp(saved);
    const named = { ...source, label: saved.label, origin: 'browser' } as const;
    if (problem === null) add(named, setup, saved.paused);
    else if (!registry.has(source.id)) {
      registry.add(describeSource(named, setup, source.id), startNothing(problem), saved.paused);
    }
  }
  const receivers = new LrsThread({ redactionKey, clock, keepPace, observe });
  if (config.lrsListen !== null) await addReceiver(config.lrsListen);
  return { starterOf, add, addRunning, receivers };

  async function addReceiver({ host, port, text }: NonNullable<Config['lrsListen']>): Promise<void> {
    const sourceId = sourceIdOf('lrs', text);
    const source = { kind: 'lrs', target: text, label: `load reports on ${text}`, origin: 'flag' } as const;
    // The receiver listens before it is a source.
    state.declare(sourceId, declarationOf(describeSource(source, null)));
    const setup = { listen: { host, port }, request: config.lrsRequest };
    const receiver = await receivers
      .open(sourceId, setup, (status) => registry.tell(sourceId, status))
      .catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ConfigError(`--lrs-listen: expected to listen on ${text}, got: ${reason}`);
      });
    addRunning(source, () => receiver);
  }
}
