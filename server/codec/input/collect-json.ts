import type protobuf from 'protobufjs';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { levelsExceeded } from '../document-nesting';
import type { JsonObject } from '../json/json-object';
import { encodeJson, findOpaqueBytes } from '../json/json-to-message';
import { showName, showValue } from '../json/show-value';
import { type FieldPlan, planOf } from '../json/type-plan';
import { peekResourceName } from '../resource-name';
import { findMessageType, unknownTypeReason } from '../root';
import { findContainerType, isResourceType, typeUrlOfField } from './containers';
import type { InputProblem, InputResource } from './input';

/** Gathers the resources of a JSON document, each read by itself: one that is not of its type costs only itself. */
export class JsonCollector {
  readonly resources: InputResource[] = [];
  readonly problems: InputProblem[] = [];
  /** Type of elements that do not say it: the type_url of their response. */
  private defaultTypeUrl = '';
  private isFailed = false;

  /** A message that holds resources. */
  container(type: protobuf.Type, json: unknown, place: string, depth = 0): void {
    if (!isObject(json)) {
      this.reject(place, `expected an object (${type.name}), got ${showValue(json)}`);
      return;
    }
    if (depth > maxDepth) {
      this.reject(place, levelsExceeded(maxDepth).message);
      return;
    }
    const typeUrl = json.typeUrl ?? json.type_url;
    if (typeof typeUrl === 'string' && typeUrl !== '') this.defaultTypeUrl = typeUrl;
    const { byJsonName } = planOf(type);
    for (const [key, value] of Object.entries(json)) {
      if (value === null || key === '@type') continue;
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      const field = byJsonName.get(key);
      if (field === undefined) this.reject(at, `${type.name} has no field "${showName(key)}"`);
      else if (field.type !== undefined) this.field(field, field.type, value, at, depth);
    }
  }

  private field(field: FieldPlan, type: protobuf.Type, value: unknown, place: string, depth: number): void {
    const items =
      field.shape === 'list' && Array.isArray(value)
        ? value.map((item, index): [string, unknown] => [`${place}[${index}]`, item])
        : [[place, value] as [string, unknown]];
    const wasFailed = this.isFailed;
    if (field.name === 'failedConfiguration') this.isFailed = true;
    for (const [at, item] of items) {
      if (type.fullName === '.google.protobuf.Any') this.any(item, at, typeUrlOfField(field.name), depth);
      else if (isResourceType(type)) this.resource(type.fullName.slice(1), type, item, at);
      else if (isEnvelope(type)) this.container(type, item, at, depth + 1);
    }
    this.isFailed = wasFailed;
  }

  /** An Any that is a container or a resource. */
  any(json: unknown, place: string, fieldTypeUrl: string | undefined, depth = 0): void {
    if (!isObject(json)) {
      this.reject(place, `expected an object with "@type", got ${showValue(json)}`);
      return;
    }
    const reported = json['@type'] ?? json.typeUrl ?? json.type_url;
    const bytes = findOpaqueBytes(json) ?? findAnyBytes(json);
    if (bytes !== undefined && typeof reported === 'string') {
      this.add(normaliseTypeUrl(reported), bytes, place);
      return;
    }
    const wanted = json['@type'] ?? fieldTypeUrl ?? this.defaultTypeUrl;
    if (typeof wanted !== 'string' || wanted === '') {
      if (Object.keys(json).length > 0)
        this.reject(place, 'expected an object with "@type", got one without');
      return;
    }
    const typeUrl = normaliseTypeUrl(wanted);
    const container = findContainerType(typeUrl);
    const type = findMessageType(typeUrl);
    if (container !== undefined) this.container(container, json, place, depth + 1);
    else if (type === undefined) this.reject(place, unknownTypeReason(typeUrl));
    else this.resource(typeUrl, type, json, place);
  }

  resource(typeUrl: string, type: protobuf.Type, json: unknown, place: string): void {
    const { '@type': _, ...fields }: JsonObject = isObject(json) ? json : {};
    const isWrapped = planOf(type).special !== undefined && isObject(json) && 'value' in json;
    const body = isWrapped ? json.value : isObject(json) ? fields : json;
    const { bytes, problems } = encodeJson(type, body, place);
    this.problems.push(...problems);
    // Nothing of it could be read: there is no such resource.
    if (bytes.length === 0 && problems.length > 0) return;
    this.add(normaliseTypeUrl(typeUrl), bytes, place);
  }

  private add(typeUrl: string, bytes: Uint8Array, place: string): void {
    const name = peekResourceName(typeUrl, bytes) ?? '';
    this.resources.push({ typeUrl, name, bytes, place, isFailed: this.isFailed });
  }

  private reject(place: string, reason: string): void {
    this.problems.push({ place, reason });
  }
}

const maxDepth = 50;

/** Of what a container has in it, these messages hold resources; a Node or a Locality does not. */
function isEnvelope(type: protobuf.Type): boolean {
  return /^\.envoy\.(?:admin|service\.status|service\.discovery)\.v3\.|^\.envoy\.config\.bootstrap\.v3\./.test(
    type.fullName,
  );
}

/** {"typeUrl", "value": base64}, as protobufjs writes an Any, or "valueBase64", as xdscope's API takes bytes. */
export function findAnyBytes(json: JsonObject): Uint8Array | undefined {
  const { '@type': type } = json;
  const value = json.valueBase64 ?? json.value_base64 ?? json.value;
  const typeUrl = json.typeUrl ?? json.type_url;
  if (type !== undefined || typeof typeUrl !== 'string' || typeof value !== 'string') return undefined;
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
