import type { Source } from '@/lib/api/schema';
import type { SourceKind } from '@/lib/observation/declared-source';
import { findKind, type KindParts, type SourceSetup } from './source-kinds';
import type { StartSource } from './source-registry';

type OfSource = 'sourceId' | 'onStatus' | 'isNamed' | 'intervalMs' | 'onForgotten';

export interface SourceStarterOptions extends Omit<KindParts, OfSource> {
  /** The time between two polls of a source, by its kind. */
  readonly intervalsMs: Readonly<Partial<Record<SourceKind, number>>>;
  /** Called when the next report of a source will be complete again. */
  readonly forget: (sourceId: string) => void;
}

/** Makes the function that starts a source from its setup. */
export type StarterOf = (
  source: { readonly id: string; readonly target: string; readonly origin: Source['origin'] },
  setup: SourceSetup,
) => StartSource;

export function createSourceStarter({ intervalsMs, forget, ...parts }: SourceStarterOptions): StarterOf {
  return ({ id, target, origin }, asked) =>
    (onStatus) => {
      const kind = findKind(asked.kind);
      const isNamed = isNamedBy(origin);
      const setup = isNamed ? (kind.nameServers?.(asked) ?? asked) : asked;
      const ofSource = { sourceId: id, onStatus, isNamed, intervalMs: intervalsMs[kind.kind] ?? 0 };
      return kind.start({ target, setup }, { ...parts, ...ofSource, onForgotten: () => forget(id) });
    };
}

/** Whether the command line, the environment or the config file named the source. Requests of the API do not count. */
function isNamedBy(origin: Source['origin']): boolean {
  switch (origin) {
    case 'flag':
    case 'environment':
    case 'config':
    case 'lab':
    // Only flags and the config file declare lists.
    case 'list':
      return true;
    default:
      return false;
  }
}
