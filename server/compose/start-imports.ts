import { isRunning } from '@/lib/views/sources/is-running';
import type { Config } from '../config/config';
import { Imports } from '../files/import/imports';
import { openFiles } from '../files/import/open-files';
import type { SavedImport } from '../files/import/saved-imports';
import { log } from '../logger';
import { describeSource } from '../sources/describe-source';
import type { SourceRegistry } from '../sources/source-registry';
import type { Sources } from './add-sources';
import type { State } from './create-state';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

/** Limits the time for which an import waits, per batch, for a graph that is requested. */
const longestWaitMs = 2_000;

interface ImportsParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly registry: SourceRegistry;
  readonly state: State;
  readonly sources: Sources;
}

/** Starts the files that are sources: those of earlier runs, then those of the command line. */
export async function startImports({
  config,
  storage,
  workers,
  registry,
  state,
  sources: { starterOf },
}: ImportsParts): Promise<Imports> {
  const { clock, recorder, loadRecorder, kept, redactionKey } = storage;
  const { live, observe, preview, publish } = state;
  const imports = new Imports({
    ...{
      dataDir: config.dataDir,
      clock,
      saved: kept.imports,
      state: storage.state,
      observe,
      preview,
      redactionKey,
    },
    sources: {
      add(saved: SavedImport) {
        const { label } = saved;
        const setup = { kind: 'file', saved } as const;
        const description = describeSource({ kind: 'file', target: label, label, origin: 'browser' }, setup);
        return registry.add(description, starterOf(description, setup));
      },
      remove: (sourceId) => registry.remove(sourceId),
    },
    stored: storage.flushed,
    keepPace: async () => {
      await storage.keepPace();
      await workers.graphs.whenAnswered(longestWaitMs);
    },
    addLoad: async (values, findSeries) => loadRecorder?.add(values, findSeries),
    onLargeFile: () => workers.graphs.prepare(),
    keep: async ({ from, to, clientId, label }) =>
      (await recorder.pin({ from, to, clientId, label, createdAt: clock.now() }))?.id,
    release: async ({ id, label }) => {
      const pins = await recorder.pins();
      if (pins.some((pin) => pin.id === id && pin.label === label)) await recorder.unpin(id);
    },
    complete: (clientId) => live.complete(clientId),
    forget: (clientId) => live.forgetClient(clientId),
    publish: (view) => {
      publish('sources/imports');
      if (view === undefined || isRunning(view)) return;
      for (const clientId of view.clientIds) publish(`client:${clientId}/settled`);
    },
  });
  await openFiles(
    imports,
    config.files,
    (line) => log('warn', 'imports', line),
    (line) => log('info', 'imports', line),
  );
  return imports;
}
