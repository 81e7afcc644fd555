import { createHash } from 'node:crypto';
import protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { LenientReader } from './lenient-reader';
import { isRedactionMarker } from './redaction-marker';
import { findMessageType } from './root';

/** A part that could not be shown as fields; its bytes are in the JSON. */
export interface OpaquePart {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  readonly sizeBytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
  readonly reason: string;
}

export interface DecodedBody {
  /** proto3 JSON. Redacted bytes fields hold the marker as text, not in base64. */
  readonly json: unknown;
  readonly opaque: readonly OpaquePart[];
  /** JSON paths whose values are redaction markers. */
  readonly redacted: readonly string[];
}

type JsonObject = Record<string, unknown>;

/**
 * A resource's bytes as proto3 JSON; never refuses. An Any of an unknown type, or with a value that is no protobuf,
 * stays in its place as `{"@type": URL, "xdscope.opaque": {reason, sizeBytes, sha256, valueBase64}}`; so does the
 * whole resource when it is of an unknown type or no protobuf.
 */
export function decodeBody(typeUrl: string, bytes: Uint8Array): DecodedBody {
  const opaque: OpaquePart[] = [];
  const view = new LenientView(opaque);
  const json = view.any(typeUrl, bytes, '', 0);
  const redacted: string[] = [];
  // Only a body that holds a marker is walked for it.
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('[redacted')
    ? showMarkers(json, '', redacted)
    : json;
  return { json: shown, opaque, redacted };
}

/** As protobuf's own limit; here over all Any values together, which a decoder each counts from zero. */
const maxDepth = 100;

class LenientView {
  constructor(private readonly opaque: OpaquePart[]) {}

  /** Below the top it is an Any, that is with "@type". */
  any(typeUrl: string, bytes: Uint8Array, path: string, depth: number): unknown {
    const type = findMessageType(typeUrl);
    if (type === undefined) {
      return this.part(typeUrl, bytes, path, `the type "${typeUrl}" is not in xdscope's protos`);
    }
    if (depth > maxDepth) return this.part(typeUrl, bytes, path, `nested deeper than ${maxDepth} levels`);
    let message: protobuf.Message;
    let isText = true;
    try {
      message = type.decode(bytes);
    } catch (strictError) {
      try {
        message = type.decode(new LenientReader(bytes));
        isText = false;
      } catch {
        return this.part(typeUrl, bytes, path, `not a valid ${type.name}: ${textOf(strictError)}`);
      }
    }
    if (!isText) {
      this.note(typeUrl, bytes, path, 'text that is not UTF-8 is shown with replacement characters');
    }
    const json = this.message(type, message, path, depth);
    if (depth === 0) return json;
    if (isPlainObject(json) && !hasSpecialJson(type)) return { '@type': typeUrl, ...json };
    return { '@type': typeUrl, value: json };
  }

  /** The strict way where it works. Where it does not, its fields one by one, so that only the culprit looks odd. */
  private message(type: protobuf.Type, message: object, path: string, depth: number): unknown {
    try {
      return protojson.toJson(type, message);
    } catch (error) {
      if (type.fullName === '.google.protobuf.Any') {
        const { type_url: url, value } = message as { type_url?: string; value?: Uint8Array };
        return this.any(url ?? '', value?.length ? value : new Uint8Array(), path, depth + 1);
      }
      const isSpecial = hasSpecialJson(type);
      if (isSpecial || depth > maxDepth) {
        const bytes = type.encode(message).finish();
        const name = type.fullName.slice(1);
        if (depth > maxDepth) return this.part(name, bytes, path, `nested deeper than ${maxDepth} levels`);
        this.note(name, bytes, path, textOf(error));
      }
      return this.fields(type, message, path, depth + 1, isSpecial);
    }
  }

  /** `isSpecial`: the type's own JSON is what failed, so its scalars are written plainly. */
  private fields(
    type: protobuf.Type,
    message: object,
    path: string,
    depth: number,
    isSpecial: boolean,
  ): JsonObject {
    const json: JsonObject = {};
    for (const field of type.fieldsArray) {
      const value: unknown = Reflect.getOwnPropertyDescriptor(message, field.name)?.value;
      if (value === undefined || value === null) continue;
      const inner = field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
      const at = path === '' ? field.name : `${path}.${field.name}`;
      if (inner === undefined) {
        if (isSpecial) json[field.name] = plainScalar(value);
        // Else the strict way again, for a message that has this field alone.
        else Object.assign(json, protojson.toJson(type, type.create({ [field.name]: value })));
      } else if (Array.isArray(value)) {
        const items = value.map((item, index) => this.message(inner, item, `${at}[${index}]`, depth));
        if (items.length > 0) json[field.name] = items;
      } else if (field.map) {
        const entries = Object.entries(value).map(([key, item]) => [
          key,
          this.message(inner, item, `${at}["${key}"]`, depth),
        ]);
        if (entries.length > 0) json[field.name] = Object.fromEntries(entries);
      } else {
        json[field.name] = this.message(inner, value, at, depth);
      }
    }
    return json;
  }

  private part(typeUrl: string, bytes: Uint8Array, path: string, reason: string): JsonObject {
    const { hash, sizeBytes } = this.note(typeUrl, bytes, path, reason);
    const valueBase64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    return { '@type': typeUrl, 'xdscope.opaque': { reason, sizeBytes, sha256: hash, valueBase64 } };
  }

  private note(typeUrl: string, bytes: Uint8Array, path: string, reason: string): OpaquePart {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const part = { path, typeUrl, sizeBytes: bytes.length, hash, reason };
    this.opaque.push(part);
    return part;
  }
}

/** Types that proto3 JSON writes as something else than an object of their fields. */
function hasSpecialJson(type: protobuf.Type): boolean {
  return /^\.google\.protobuf\.(Any|Duration|Timestamp|FieldMask|Struct|Value|ListValue|\w+Value)$/.test(
    type.fullName,
  );
}

/** A 64-bit integer as a decimal string, a number that JSON has not as its name. */
function plainScalar(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value === 'object' ? String(value) : value;
}

function showMarkers(json: unknown, path: string, redacted: string[]): unknown {
  if (typeof json === 'string') {
    const text = isRedactionMarker(json) ? json : findMarkerInBase64(json);
    if (text === undefined) return json;
    redacted.push(path);
    return text;
  }
  if (Array.isArray(json)) return json.map((item, index) => showMarkers(item, `${path}[${index}]`, redacted));
  if (!isPlainObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      showMarkers(value, path === '' ? key : `${path}.${key}`, redacted),
    ]),
  );
}

/** base64 of "[redacted". */
const markerBase64 = 'W3JlZGFjdGVk';

function findMarkerInBase64(text: string): string | undefined {
  if (!text.startsWith(markerBase64) || text.length > 96) return undefined;
  const decoded = Buffer.from(text, 'base64').toString('latin1');
  return isRedactionMarker(decoded) ? decoded : undefined;
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
