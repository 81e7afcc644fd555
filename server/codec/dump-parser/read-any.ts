import type protobuf from 'protobufjs';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { findTypeOfJson } from '../input/recognise-json';
import { isJsonObject, type JsonObject } from '../json/json-object';
import { encodeJson, findOpaqueBytes, type JsonProblem } from '../json/json-to-message';
import { showValue } from '../json/show-value';
import type { AnyMessage } from '../resource-message';
import { findMessageType, unknownTypeReason } from '../root';

export interface ReadAny {
  /** undefined: there is no such resource. A `value` that is not there: its type is not known. */
  readonly any: AnyMessage | undefined;
  /** What it calls itself, where its type cannot be asked. */
  readonly name: string;
  readonly problems: readonly JsonProblem[];
}

/** A resource in JSON: an Any, or a bare one of a type that is reported, or that only its fields tell. */
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
    if (wanted === '') return reject(place, 'expected a resource, got an object of no known type');
    const problem = { place, reason: unknownTypeReason(wanted), isUnknownField: false };
    return { any: { type_url: normaliseTypeUrl(wanted) }, name, problems: [problem] };
  }
  return encodeAs(type, wanted === '' ? type.fullName.slice(1) : wanted, json, place, name);
}

function encodeAs(
  type: protobuf.Type,
  typeUrl: string,
  { '@type': _, ...fields }: JsonObject,
  place: string,
  name: string,
): ReadAny {
  const { bytes, problems } = encodeJson(type, fields, place);
  // Nothing of it could be read: there is no such resource.
  if (bytes.length === 0 && problems.length > 0) return { any: undefined, name, problems };
  return { any: { type_url: normaliseTypeUrl(typeUrl), value: bytes }, name, problems };
}

function reject(place: string, reason: string): ReadAny {
  return { any: undefined, name: '', problems: [{ place, reason, isUnknownField: false }] };
}

function nameOf({ name, clusterName, cluster_name: snakeName }: JsonObject): string {
  const found = name ?? clusterName ?? snakeName;
  return typeof found === 'string' ? found : '';
}

/** An Any as protobufjs writes it, `{typeUrl, value: base64}`, or as xdscope's API takes it, with `valueBase64`. */
function findAnyBytes(json: JsonObject): Uint8Array | undefined {
  const value = json.valueBase64 ?? json.value_base64 ?? json.value;
  const typeUrl = json.typeUrl ?? json.type_url;
  if ('@type' in json || typeof typeUrl !== 'string' || typeof value !== 'string') return undefined;
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}
