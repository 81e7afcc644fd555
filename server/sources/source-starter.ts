import type { Problem } from '@/lib/observation/observation';
import type { SourceKind } from '@/lib/observation/source-kinds';
import type { Source } from '@/lib/views/sources/schema';
import { initialSourceStatus, type SourceStatus } from '../source-status';
import { findKind, type KindParts, type SourceSetup } from './source-kinds';
import type { SourceDescription, StartSource } from './source-registry';

type OfSource = 'sourceId' | 'onStatus' | 'isNamed' | 'intervalMs' | 'onForgotten';

interface SourceStarterOptions extends Omit<KindParts, OfSource> {
  /** The time between two polls of a source, by its kind. */
  readonly intervalsMs: Readonly<Partial<Record<SourceKind, number>>>;
  /** Called when the next report of a source will be complete again. */
  readonly forget: (sourceId: string) => void;
}

/** Makes the function that starts a source from its setup. */
export type StarterOf = (
  source: Pick<SourceDescription, 'id' | 'target' | 'origin' | 'listId'>,
  setup: SourceSetup,
) => StartSource;

/** Requests of the API name no source. Only flags and the config file declare lists. */
const namedOrigins: ReadonlySet<Source['origin']> = new Set(['flag', 'environment', 'config', 'lab', 'list']);

export function createSourceStarter({ intervalsMs, forget, ...parts }: SourceStarterOptions): StarterOf {
  return ({ id, target, origin }, stated) =>
    (onStatus) => {
      const kind = findKind(stated.kind);
      const isNamed = namedOrigins.has(origin);
      const setup = isNamed ? (kind.nameServers?.(stated) ?? stated) : stated;
      const ofSource = { sourceId: id, onStatus, isNamed, intervalMs: intervalsMs[kind.kind] ?? 0 };
      return kind.start({ target, setup }, { ...parts, ...ofSource, onForgotten: () => forget(id) });
    };
}

/** Replaces the starter of a source that must not be started: it is listed with the reason, and can be removed. */
export function startNothing(problem: Problem): StartSource {
  return (onStatus) => {
    let status: SourceStatus = { ...initialSourceStatus, state: 'down', problem };
    const update = (change: Pick<SourceStatus, 'state' | 'problem'>): void => {
      status = { ...status, ...change };
      onStatus(status);
    };
    return {
      get status() {
        return status;
      },
      start() {},
      pause: () => update({ state: 'paused', problem: null }),
      resume: () => update({ state: 'down', problem }),
      async close() {},
    };
  };
}
