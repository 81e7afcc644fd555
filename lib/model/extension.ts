import { messageNameOf } from '../xds/resource-type';
import type { FieldReader } from './field-reader';
import { type FilterConfig, keepConfig } from './filter-config';
import { lbMetadataDoubtOf } from './metadata-doubt';

/** What is read of an HTTP filter, or of an envoy.config.core.v3.TypedExtensionConfig, which ECDS delivers for one. */
export interface ExtensionModel extends FilterConfig {
  /** Message name of its config, or the inner type of a TypedStruct; empty if there is none. */
  readonly typeName: string;
  /** Why it may write the metadata by which a subset of hosts is chosen; absent: it does not. */
  readonly lbMetadataDoubt?: string | undefined;
}

/** `extension`: a message with a name and a typed config. */
export function readExtension(extension: FieldReader): ExtensionModel {
  const config = extension.object('typedConfig');
  const name = config?.messageName() ?? '';
  return {
    typeName: name.endsWith('.TypedStruct') ? messageNameOf(config?.string('typeUrl') ?? '') : name,
    lbMetadataDoubt: lbMetadataDoubtOf(extension) || undefined,
    ...keepConfig(config),
  };
}
