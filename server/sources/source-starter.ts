import type { Source } from '@/lib/api/schema';
import type { Config } from '../config/config';
import { findKind, type KindParts, type SourceSetup } from './source-kinds';
import type { StartSource } from './source-registry';

type OfSource = 'sourceId' | 'onStatus' | 'isNamed' | 'intervalMs' | 'onForgotten';

export interface SourceStarterOptions extends Omit<KindParts, OfSource> {
  readonly intervalsMs: Config['intervalsMs'];
  /** The next report of a source is complete again. */
  readonly forget: (sourceId: string) => void;
}

/** How a source that was named and set up becomes one that runs. */
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

/** Did whoever starts xdscope name it? What is added by API, or by a kind of origin that comes later, is not named. */
function isNamedBy(origin: Source['origin']): boolean {
  switch (origin) {
    case 'flag':
    case 'environment':
    case 'config':
    case 'lab':
    // Lists are declared by flags and the config file alone.
    case 'list':
      return true;
    default:
      return false;
  }
}
