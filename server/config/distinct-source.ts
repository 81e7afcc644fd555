import type { SourceSetup } from '../sources/source-kinds';

interface AnySource {
  readonly id: string;
  readonly setup: SourceSetup;
}

/** Of an id: a node id may be of any length. */
const mostNodeIdChars = 200;

/**
 * The source under an id of its own: the first that asks a target by a transport has the plain id, and one that asks in
 * another mode, by other rules or as another node has them in its id. Undefined: the very same is there already.
 */
export function findDistinct<T extends AnySource>(
  source: T,
  setupOf: (id: string) => SourceSetup | undefined,
): { readonly source: T; readonly distinction?: string } | undefined {
  const taken = setupOf(source.id);
  if (taken === undefined) return { source };
  const distinction = distinctionOf(source);
  if (distinction === '' || distinction === distinctionOf({ id: source.id, setup: taken })) return undefined;
  const other = withDistinction(source, distinction);
  return setupOf(other.id) === undefined ? { source: other, distinction } : undefined;
}

/** As it was once distinguished: it keeps its id when its mode changes. */
export function withDistinction<T extends AnySource>(source: T, distinction: string): T {
  const id = `${source.id}${source.id.includes('?') ? '&' : '?'}${distinction}`;
  const { setup } = source;
  if (setup.kind !== 'ads' || setup.node.id !== usualNodeId(source.id)) return { ...source, id };
  return { ...source, id, setup: { ...setup, node: { ...setup.node, id: usualNodeId(id) } } };
}

/** As in "mode=validate&profile=go"; empty for CSDS, which has but one mode. */
function distinctionOf({ id, setup }: AnySource): string {
  if (setup.kind !== 'ads') return '';
  const { node, settings } = setup;
  const { mode, profile, errorModel } = settings;
  const isOwnNode = node.id === usualNodeId(id);
  return [
    `mode=${mode}`,
    ...(mode === 'validate' ? [`profile=${profile}`] : []),
    ...(errorModel === 'pre-a88' ? [] : [`errors=${errorModel}`]),
    ...(isOwnNode ? [] : [`node=${shownNodeId(node.id)}`]),
  ].join('&');
}

/** As buildProbe() makes it where nobody says one. */
function usualNodeId(id: string): string {
  return `xdscope-probe@${id.slice('ads:'.length)}`;
}

/** Any text: half of a surrogate pair has no encoding. */
function shownNodeId(id: string): string {
  return encodeURIComponent(Buffer.from(id.slice(0, mostNodeIdChars)).toString());
}
