import type { Source } from '@/lib/api/schema';
import type { DeclaredSource } from '@/lib/observation/declared-source';
import { redactMessage } from '../codec/secrets/redact-message';
import { sourceIdOf } from '../config/source-id';
import { findKind, type SourceSetup } from './source-kinds';
import type { SourceDescription } from './source-registry';

/** A source as somebody names it. */
export interface NamedSource {
  readonly kind: Source['kind'];
  readonly target: string;
  readonly label: string;
  readonly origin: Source['origin'];
  /** The list that found it. */
  readonly listId?: string | null;
  /** See ReadySource. */
  readonly ignored?: readonly string[];
}

/** `setup` is null of what runs by itself (LRS, the lab's own). */
export function describeSource(
  { kind, target, label: given, origin, listId = null, ignored = [] }: NamedSource,
  setup: SourceSetup | null,
  id = sourceIdOf(kind, target),
): SourceDescription {
  const shown =
    setup === null ? { security: 'plain' as const, settings: null } : findKind(setup.kind).show(setup);
  const notices =
    ignored.length === 0
      ? []
      : [`the bootstrap names files or sockets of this machine, which are ignored: ${ignored.join(', ')}`];
  const label = redactMessage(given);
  return { id, kind, target, label, origin, listId, notices, ...shown, ...(setup && { setup }) };
}

/** What the log declares of the source. */
export function declarationOf({ kind, target, settings, setup }: SourceDescription): DeclaredSource {
  const transport = settings?.transport;
  const server = setup && findKind(setup.kind).serverOf?.({ target, setup });
  return {
    ...{ kind, target },
    ...(server !== undefined && { server }),
    ...(transport !== undefined && { transport }),
  };
}
