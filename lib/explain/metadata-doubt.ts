import type { FieldReader } from '../model/field-reader';
import type { DynamicMetadata } from '../requests/metadata';

const httpType = 'envoy.extensions.filters.http.';

/** Filters that can write into each namespace of the dynamic metadata, as their code or the answer of a service decides. */
const anyNamespace =
  /^(json_to_metadata|proto_message_extraction|ext_proc|lua|wasm|golang|dynamic_modules|composite)$/;
/** Filters whose own namespace has nothing but what their config states. */
const isEvaluated = /^(header_to_metadata|set_metadata)$/;

/** What a filter that runs may write into the dynamic metadata: by default into a namespace that has its name. */
export function metadataDoubtOf(filter: FieldReader): DynamicMetadata['doubts'] {
  const name = filter.string('name');
  const reason = `filter ${name} can set metadata`;
  const type = filter.object('typedConfig')?.messageName() ?? '';
  if (filter.has('configDiscovery') || !type.startsWith(httpType)) return [{ reason }];
  const [kind = ''] = type.slice(httpType.length).split('.');
  if (isEvaluated.test(kind)) return [];
  if (anyNamespace.test(kind)) return [{ reason }];
  return [name, `envoy.filters.http.${kind}`].map((namespace) => ({ namespace, reason }));
}
