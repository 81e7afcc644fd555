import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { findTypeOfJson } from '../input/recognise-json';
import { isJsonObject, type JsonObject } from '../json/json-object';
import { findOpaqueBytes, type JsonProblem, readJsonMessage } from '../json/json-to-message';
import { showValue } from '../json/show-value';
import type { AnyMessage } from '../resource-message';
import { findMessageType, messageType, unknownTypeReason } from '../root';

interface ReadAny {
  /** Undefined if the JSON is not a resource. Its `value` is absent if the type is unknown. */
  readonly any: AnyMessage | undefined;
  /** The member `name` or `clusterName`, for a resource of an unknown type; empty if there is none. */
  readonly name: string;
  readonly problems: readonly JsonProblem[];
}

/**
 * Reads a resource in JSON: an Any, or a resource without "@type", whose type is `reportedType` (a type URL) or, if
 * that is empty, the only type that has its fields.
 */
export function readAny(json: unknown, place: string, reportedType: string): ReadAny {
  if (!isJsonObject(json)) return reject(place, `expected a resource, got ${showValue(json)}`);
  const bytes = findOpaqueBytes(json) ?? findAnyBytes(json);
  const ownType = json['@type'] ?? (bytes === undefined ? undefined : (json.typeUrl ?? json.type_url));
  const wanted = typeof ownType === 'string' && ownType !== '' ? ownType : reportedType;
  const name = nameOf(json);
  if (bytes !== undefined)
    return { any: { type_url: normaliseTypeUrl(wanted), value: bytes }, name, problems: [] };
  const type = wanted === '' ? findTypeOfJson(json) : findMessageType(wanted);
  if (type === undefined) {
    if (wanted === '') return reject(place, 'expected a resource, got an object of no known type', name);
    const problem = { place, reason: unknownTypeReason(wanted), isUnknownField: false };
    return { any: { type_url: normaliseTypeUrl(wanted) }, name, problems: [problem] };
  }
  const typeUrl = normaliseTypeUrl(wanted === '' ? type.fullName.slice(1) : wanted);
  const anyType = messageType('google.protobuf.Any');
  const { message, problems } = readJsonMessage(anyType, { ...json, '@type': typeUrl }, place);
  const { value = new Uint8Array() }: Partial<AnyMessage> = message ?? {};
  // If no field could be read, there is no such resource.
  if (value.length === 0 && problems.length > 0) return { any: undefined, name, problems };
  return { any: { ...message, type_url: typeUrl, value }, name, problems };
}

function reject(place: string, reason: string, name = ''): ReadAny {
  return { any: undefined, name, problems: [{ place, reason, isUnknownField: false }] };
}

function nameOf({ name, clusterName, cluster_name: snakeName }: JsonObject): string {
  const found = name ?? clusterName ?? snakeName;
  return typeof found === 'string' ? found : '';
}

/** Reads an Any in the form of protobufjs, `{typeUrl, value: base64}`, or of xdscope's API, with `valueBase64`. */
function findAnyBytes(json: JsonObject): Uint8Array | undefined {
  const value = json.valueBase64 ?? json.value_base64 ?? json.value;
  const typeUrl = json.typeUrl ?? json.type_url;
  if ('@type' in json || typeof typeUrl !== 'string' || typeof value !== 'string') return undefined;
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}
