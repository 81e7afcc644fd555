import type { ClientState } from '@/lib/observation/client-state';
import { identifyClient } from '../client-id';
import { sourceIdOf } from '../collect/source-kind/source-kind';
import { readTapSource } from '../collect/tap/read-tap-source';
import type { Config } from '../config/config';
import { ownProgram } from '../lab/interop-runs/client-program';
import { findClientPrograms } from '../lab/interop-runs/find-client-programs';
import { InteropRuns, runsSourceId } from '../lab/interop-runs/interop-runs';
import { SavedInteropRuns } from '../lab/interop-runs/saved-interop-runs';
import { findPort } from '../lab/port-block';
import { setUpSource } from '../sources/set-up-source';
import type { SourceRegistry } from '../sources/source-registry';
import type { Sources } from './add-sources';
import type { State } from './create-state';
import type { Storage } from './open-storage';

interface InteropRunsParts {
  readonly config: Pick<Config, 'interopClients'>;
  readonly storage: Storage;
  readonly registry: SourceRegistry;
  readonly state: State;
  readonly sources: Sources;
}

const tapStartMs = 10_000;
/** A poll follows a second after the last one, and takes longer on a busy machine. */
const polledMs = 10_000;
const pollMs = 20;

/** Runs of the interop tests whose clients are observed by sources: a tap, CSDS, channelz and their RPCs. */
export async function openInteropRuns({
  config,
  storage,
  registry,
  state,
  sources,
}: InteropRunsParts): Promise<InteropRuns> {
  const { clock } = storage;
  const { live, observe, declare } = state;
  const saved = new SavedInteropRuns(storage.state);
  const earlier = await saved.read();
  const programs = [
    ...(await findClientPrograms()),
    ...config.interopClients.map((each) => ownProgram(each)),
  ];
  const pause = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, pollMs));
  /** Another thread listens: a client that starts before it does would fail its first RPCs. */
  const whenUp = async (sourceId: string): Promise<void> => {
    const until = clock.now() + tapStartMs;
    for (;;) {
      const { state: now = 'removed', problem = null } = registry.statusOf(sourceId) ?? {};
      if (now === 'up') return;
      if (now === 'down' || clock.now() >= until)
        throw new Error(`expected ${sourceId} to listen, it is ${now}: ${problem?.message ?? 'no reason'}`);
      await pause();
    }
  };
  return new InteropRuns(
    {
      ...{ clock, saved, programs },
      observe: (emission) => {
        declare(runsSourceId, { kind: 'lab', target: 'interop tests' });
        observe(emission);
      },
      identify: (node, target) => {
        // Some clients report no target.
        const ids = [identifyClient(node, target), identifyClient(node, '')] as const;
        const reported = ids.find((id) => hasCsdsReport(live.world.get(id)));
        const clientId = reported ?? ids.find((id) => live.world.has(id)) ?? ids[0];
        return { clientId, isReported: reported !== undefined };
      },
      sources: {
        async openTap(upstream) {
          const listen = `127.0.0.1:${await findPort(0)}`;
          const { setup, ...source } = readTapSource(
            { listen, upstream },
            'interop',
            'config',
            process.cwd(),
          );
          const sourceId = sourceIdOf('tap', source.target);
          const label = 'tap of an interop run';
          sources.add({ kind: 'tap', ...source, label, origin: 'lab', id: sourceId }, setup);
          await whenUp(sourceId);
          return { listen, sourceId };
        },
        observeClient: (target, label) =>
          (['csds', 'channelz', 'interop'] as const).map((kind) => {
            const { id, setup } = setUpSource({ kind, target });
            sources.add({ kind, target, label, origin: 'lab', id }, setup);
            return id;
          }),
        async whenPolled(sourceIds) {
          const since = clock.now();
          const isAwaited = (id: string): boolean => {
            const { state: now = 'removed', lastAttemptAt = 0 } = registry.statusOf(id) ?? {};
            return (now === 'up' || now === 'connecting') && lastAttemptAt < since;
          };
          while (sourceIds.some(isAwaited) && clock.now() < since + polledMs) await pause();
        },
        async remove(sourceIds) {
          await Promise.all(sourceIds.map((id) => registry.remove(id)));
        },
      },
    },
    earlier,
  );
}

function hasCsdsReport(client: ClientState | undefined): boolean {
  return [...(client?.reports.values() ?? [])].some(({ vantage }) => vantage === 'csds');
}
