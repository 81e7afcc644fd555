import type { SourceSetup } from './source-kinds';

interface AnySource {
  readonly id: string;
  readonly setup: SourceSetup;
}

/** Limit of a node id and of a cluster in a source id. */
const maxShownChars = 200;

/**
 * Finds a free id for a source: the first source of a target and transport has the plain id; one with another mode,
 * rules or node has them in its id. Undefined: an identical source exists.
 */
export function findDistinct<T extends AnySource>(
  source: T,
  setupOf: (id: string) => SourceSetup | undefined,
): { readonly source: T; readonly distinction?: string } | undefined {
  const taken = setupOf(source.id);
  if (taken === undefined) return { source };
  const distinction = distinctionOf(source);
  if (distinction === '' || distinction === distinctionOf({ setup: taken })) return undefined;
  const other = withDistinction(source, distinction);
  return setupOf(other.id) === undefined ? { source: other, distinction } : undefined;
}

/** Adds a stored distinction to the id, so that a source keeps its id when its mode changes. */
export function withDistinction<T extends AnySource>(source: T, distinction: string): T {
  const suffix = `${source.id.includes('?') ? '&' : '?'}${distinction}`;
  const id = `${source.id}${suffix}`;
  const { setup } = source;
  if (setup.kind !== 'ads' || !setup.hasUsualNode) return { ...source, id };
  return { ...source, id, setup: { ...setup, node: { ...setup.node, id: `${setup.node.id}${suffix}` } } };
}

/**
 * Returns a text such as "mode=validate&profile=go". It is empty unless the source is a probe, because only probes
 * have modes.
 */
function distinctionOf({ setup }: Pick<AnySource, 'setup'>): string {
  if (setup.kind !== 'ads') return '';
  const { node, settings } = setup;
  const { mode, profile, errorModel } = settings;
  return [
    `mode=${mode}`,
    ...(mode === 'validate' ? [`profile=${profile}`] : []),
    ...(errorModel === 'pre-a88' ? [] : [`errors=${errorModel}`]),
    ...(setup.hasUsualNode ? [] : [`node=${shown(node.id)}`]),
    ...(node.cluster === '' ? [] : [`cluster=${shown(node.cluster)}`]),
  ].join('&');
}

/** Buffer replaces lone surrogates, which encodeURIComponent rejects. */
function shown(id: string): string {
  return encodeURIComponent(Buffer.from(id.slice(0, maxShownChars)).toString());
}
