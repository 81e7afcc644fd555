import type { FieldReader } from '../model/field-reader';

const httpType = 'envoy.extensions.filters.http.';

/** Filters that can add to the dynamic metadata "envoy.lb", which takes precedence over the metadata_match of the route. */
const writers =
  /^(header_to_metadata|json_to_metadata|proto_message_extraction|set_metadata|ext_proc|lua|wasm|golang|dynamic_modules|composite)$/;

/** The names of the filters among `running` that can add metadata by which Envoy chooses a subset of the hosts. */
export function findMetadataWriters(manager: FieldReader, running: ReadonlySet<string>): string[] {
  return manager.objects('httpFilters').flatMap((filter) => {
    const name = filter.string('name');
    if (!running.has(name)) return [];
    if (filter.has('configDiscovery')) return [name];
    const config = filter.object('typedConfig');
    const type = config?.messageName() ?? '';
    if (!type.startsWith(httpType)) return [name];
    const kind = type.slice(httpType.length).split('.')[0] ?? '';
    if (!writers.test(kind)) return [];
    const isOther = config !== undefined && namesOtherNamespace(kind, config);
    return isOther ? [] : [name];
  });
}

/** True if the filter writes only into other namespaces. header_to_metadata writes into "envoy.lb" if a rule names none. */
function namesOtherNamespace(kind: string, config: FieldReader): boolean {
  if (kind === 'header_to_metadata') {
    const actions = config
      .objects('requestRules')
      .flatMap((rule) => [rule.object('onHeaderPresent'), rule.object('onHeaderMissing')]);
    return actions.every((action) => action === undefined || !isLb(action.string('metadataNamespace')));
  }
  if (kind !== 'set_metadata') return false;
  const named = config.objects('metadata').map((each) => each.string('metadataNamespace'));
  return ![...named, config.string('metadataNamespace')].includes('envoy.lb');
}

function isLb(namespace: string): boolean {
  return namespace === '' || namespace === 'envoy.lb';
}
