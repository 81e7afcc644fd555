import type { FieldReader } from '../../model/field-reader';
import { type DynamicMetadata, findMetadata, isStruct, noMetadata, withMetadata } from '../metadata';
import { cookiesOf, withHeader } from '../request';
import { type FilterDecision, type FilterRequest, notRouted } from './filter-decision';

type Json = Readonly<Record<string, unknown>>;

/** Longer values are not copied. */
const longestValue = 8 * 1024;

/** envoy.extensions.filters.http.header_to_metadata.v3: rules copy a header or cookie to metadata, and can remove the header. */
export function decideHeaderToMetadata(of: FilterRequest): FilterDecision {
  const config = of.overrides[0] ?? of.config;
  let { find, metadata = noMetadata } = of;
  const copied: string[] = [];
  const removed: string[] = [];
  for (const rule of config.objects('requestRules')) {
    const [name, cookie] = [rule.string('header'), rule.string('cookie')];
    const header = name === '' ? undefined : find(name);
    if (header?.kind === 'depends') {
      metadata = doubt(metadata, `it depends on header ${name}: ${header.reason}`);
      continue;
    }
    const value =
      header === undefined
        ? cookiesOf(find).get(cookie) || undefined
        : header.kind === 'value'
          ? header.values.join(',')
          : undefined;
    const action = rule.object(value === undefined ? 'onHeaderMissing' : 'onHeaderPresent');
    if (action !== undefined) {
      copied.push(name || `cookie ${cookie}`);
      metadata = copy(metadata, action, value ?? '');
    }
    if (value === undefined || name === '' || !rule.boolean('remove')) continue;
    find = withHeader(find, name, { kind: 'absent' });
    removed.push(name);
  }
  const what = [
    ...(copied.length > 0 ? [`it copies to metadata: ${copied.join(', ')}`] : []),
    ...(removed.length > 0 ? [`it removes headers: ${removed.join(', ')}`] : []),
  ];
  const reason = what.length === 0 ? 'it copies no header' : [...what, notRouted].join('; ');
  return { kind: 'passes', reason, find, metadata };
}

function doubt(metadata: DynamicMetadata, reason: string, namespace?: string): DynamicMetadata {
  const added = namespace === undefined ? { reason } : { reason, namespace };
  return { ...metadata, doubts: [...metadata.doubts, added] };
}

/** A Config.KeyValuePair: "If no value is set, the header's value is used"; an empty value is not added. */
function copy(metadata: DynamicMetadata, action: FieldReader, header: string): DynamicMetadata {
  const namespace = action.string('metadataNamespace') || 'envoy.filters.http.header_to_metadata';
  const key = action.string('key');
  const text = action.string('value') || header;
  const rewrites = action.string('value') === '' && action.has('regexValueRewrite') && header !== '';
  const type = action.enumName('type', 'STRING');
  if (rewrites || action.enumName('encode', 'NONE') !== 'NONE' || type === 'PROTOBUF_VALUE')
    return doubt(metadata, `the value of metadata ${namespace}.${key} is not evaluated`, namespace);
  if (text === '' || text.length >= longestValue) return metadata;
  const value = type === 'NUMBER' ? readNumber(text) : text;
  if (value === undefined) return metadata;
  return withMetadata(metadata, namespace, { ...metadata.known[namespace], [key]: value });
}

function readNumber(text: string): number | undefined {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}

/** envoy.extensions.filters.http.set_metadata.v3: metadata that is there is kept, unless `allow_overwrite` lets it be merged. */
export function decideSetMetadata({ config, metadata = noMetadata }: FilterRequest): FilterDecision {
  let changed = metadata;
  const own = config.objects('metadata');
  const names: string[] = [];
  for (const each of own.length > 0 ? own : [config]) {
    const value = each.object('value')?.json;
    const namespace = each.string('metadataNamespace');
    if (value === undefined) continue;
    const found = findMetadata(changed, namespace, []);
    if (found.kind === 'depends') continue;
    const current = changed.known[namespace];
    if (found.kind === 'absent') changed = withMetadata(changed, namespace, value);
    else if (own.length === 0 || each.boolean('allowOverwrite'))
      changed = withMetadata(changed, namespace, merge(current ?? {}, value));
    else continue;
    names.push(namespace);
  }
  const reason =
    names.length === 0 ? 'it sets no metadata' : `it sets metadata: ${names.join(', ')}; ${notRouted}`;
  return { kind: 'passes', reason, metadata: changed };
}

/** "Lists are concatenated, structs merged, and other values replaced." */
function merge(current: Json, added: Json): Json {
  const entries = Object.entries(added).map(([key, value]): [string, unknown] => {
    const before = Object.hasOwn(current, key) ? current[key] : undefined;
    if (Array.isArray(before) && Array.isArray(value)) return [key, [...before, ...value]];
    return [key, isStruct(before) && isStruct(value) ? merge(before, value) : value];
  });
  return { ...current, ...Object.fromEntries(entries) };
}
