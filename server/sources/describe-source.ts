import type { DeclaredSource } from '@/lib/observation/observation';
import type { Source } from '@/lib/views/sources/schema';
import { redactMessage } from '../codec/secrets/redact-message';
import { sourceIdOf } from '../collect/source-kind/source-kind';
import { isSecretPlace } from '../transport/bootstrap/certificate-files';
import { findKind, type SourceSetup } from './source-kinds';
import type { SourceDescription } from './source-registry';

/** A source as an option, a request or a list states it. */
export interface NamedSource {
  readonly kind: Source['kind'];
  readonly target: string;
  readonly label: string;
  readonly origin: Source['origin'];
  /** The id of the list that found the source. */
  readonly listId?: string | undefined;
  /** See ReadySource. */
  readonly ignored?: readonly string[];
}

/** `setup` is null if no setting started the source, as for the load reports of the lab. */
export function describeSource(
  { kind, target, label: given, origin, listId, ignored = [] }: NamedSource,
  setup: SourceSetup | null,
  id = sourceIdOf(kind, target),
): SourceDescription {
  const { health, show } = findKind(kind);
  const shown = setup === null ? { security: 'plain' as const } : show(setup);
  const [secrets, files] = partition(ignored, isSecretPlace);
  const notices = [
    ...(files.length === 0
      ? []
      : [`the bootstrap names files or sockets of this machine, which are ignored: ${files.join(', ')}`]),
    ...(secrets.length === 0
      ? []
      : [`the bootstrap may contain secrets, which are ignored: ${secrets.join(', ')}`]),
  ];
  const label = redactMessage(given);
  return { id, kind, target, label, origin, listId, notices, health, ...shown, ...(setup && { setup }) };
}

/** Returns the declaration of the source in the log. */
export function declarationOf({ kind, target, settings, setup }: SourceDescription): DeclaredSource {
  const transport = settings?.transport;
  const server = setup && findKind(setup.kind).serverOf?.({ target, setup });
  const { servers = [], authorities = [] } =
    settings !== undefined && 'authorities' in settings ? settings : {};
  const topLevel = { authority: null, servers: servers.map((each) => each.target) };
  const named = authorities.map(({ name, servers }) => ({ authority: name, servers }));
  return {
    ...{ kind, target },
    ...(server !== undefined && { server }),
    ...((servers.length > 1 || named.length > 0) && { authorities: [topLevel, ...named] }),
    ...(transport !== undefined && { transport }),
  };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
