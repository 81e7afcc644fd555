import { isProcessDocument } from '../../xds/process-document';

/** The types of config resources, without those of documents that a process reports about itself. */
export function configTypes<Type extends { readonly typeUrl: string }>({
  types,
}: {
  readonly types: readonly Type[];
}): Type[] {
  return types.filter(({ typeUrl }) => !isProcessDocument(typeUrl));
}
