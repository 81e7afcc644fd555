import type { DocumentKind, InputResource } from './input';

/** /config_dump reports static resources twice, in the bootstrap and in the dump of their type: the latter counts. */
export function dropRepeated(
  resources: readonly InputResource[],
  kind: DocumentKind | undefined,
): readonly InputResource[] {
  if (kind !== 'config-dump') return resources;
  const isOfBootstrap = ({ place }: InputResource): boolean => place.includes('.bootstrap.');
  const keyOf = ({ typeUrl, name }: InputResource): string => `${typeUrl}\u0000${name}`;
  const reported = new Set(resources.filter((each) => !isOfBootstrap(each)).map(keyOf));
  return resources.filter((each) => !isOfBootstrap(each) || !reported.has(keyOf(each)));
}
