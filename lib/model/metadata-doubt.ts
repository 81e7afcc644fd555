import type { FieldReader } from './field-reader';
import { lbNamespace } from './subset';

/** Why the dynamic metadata of a request is not known. A namespace is absent if that of each is not. */
export interface MetadataDoubt {
  readonly namespace?: string;
  readonly reason: string;
}

/** A filter without a config is found by its name. */
const httpType = /^envoy\.(?:extensions\.)?filters\.http\.(\w+)/;

/** Filters that can write into each namespace of the dynamic metadata, as their code or the answer of a service decides. */
const anyNamespace =
  /^(json_to_metadata|proto_message_extraction|ext_proc|lua|wasm|golang|dynamic_modules|composite)$/;
/** Filters whose own namespace has nothing but what their config states. */
const isEvaluated = /^(header_to_metadata|set_metadata)$/;

/** What a filter that runs may write into the dynamic metadata: by default into a namespace that has its name. */
export function metadataDoubtOf(filter: FieldReader): readonly MetadataDoubt[] {
  const name = filter.string('name');
  const reason = `filter ${name} can set metadata`;
  const type = filter.object('typedConfig')?.messageName() ?? name;
  const kind = httpType.exec(type)?.[1];
  if (filter.has('configDiscovery') || kind === undefined) return [{ reason }];
  if (isEvaluated.test(kind)) return [];
  if (anyNamespace.test(kind)) return [{ reason }];
  return [name, `envoy.filters.http.${kind}`].map((namespace) => ({ namespace, reason }));
}

/** Why a filter may write the metadata by which a subset of hosts is chosen; empty if it does not. */
export function lbMetadataDoubtOf(filter: FieldReader): string {
  const doubts = metadataDoubtOf(filter);
  if (doubts.length > 0)
    return doubts.find(({ namespace = lbNamespace }) => namespace === lbNamespace)?.reason ?? '';
  return namesLbMetadata(filter.object('typedConfig')) ? `filter ${filter.string('name')} sets metadata` : '';
}

export function namesLbMetadata(config: FieldReader | undefined): boolean {
  return config !== undefined && JSON.stringify(config.json).includes(JSON.stringify(lbNamespace));
}
