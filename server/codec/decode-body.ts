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
  const json = view.any(typeUrl, bytes, '', false);
  const redacted: string[] = [];
  // Only a body that holds a marker is walked for it.
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('[redacted')
    ? showMarkers(json, '', redacted)
    : json;
  return { json: shown, opaque, redacted };
}

class LenientView {
  constructor(private readonly opaque: OpaquePart[]) {}

  /** `nested`: as an Any inside a message, that is with "@type". */
  any(typeUrl: string, bytes: Uint8Array, path: string, nested = true): unknown {
    const type = findMessageType(typeUrl);
    if (type === undefined) {
      return this.part(typeUrl, bytes, path, `the type "${typeUrl}" is not in xdscope's protos`);
    }
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
    const json = this.message(type, message, path);
    if (!nested) return json;
    if (isPlainObject(json) && !hasSpecialJson(type)) return { '@type': typeUrl, ...json };
    return { '@type': typeUrl, value: json };
  }

  /** The strict way where it works. Where it does not, its fields one by one, so that only the culprit looks odd. */
  private message(type: protobuf.Type, message: object, path: string): unknown {
    try {
      return protojson.toJson(type, message);
    } catch (error) {
      if (type.fullName === '.google.protobuf.Any') {
        const { type_url: url, value } = message as { type_url?: string; value?: Uint8Array };
        return this.any(url ?? '', value ?? new Uint8Array(), path);
      }
      if (hasSpecialJson(type)) {
        const bytes = type.encode(message).finish();
        this.note(type.fullName.slice(1), bytes, path, textOf(error));
      }
      return this.fields(type, message, path);
    }
  }

  private fields(type: protobuf.Type, message: object, path: string): JsonObject {
    const json: JsonObject = {};
    for (const field of type.fieldsArray) {
      const value: unknown = Reflect.getOwnPropertyDescriptor(message, field.name)?.value;
      if (value === undefined || value === null) continue;
      const inner = field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
      const at = path === '' ? field.name : `${path}.${field.name}`;
      if (inner === undefined) {
        // Scalars and enums: a message with this field alone, the strict way.
        const single = protojson.toJson(type, type.create({ [field.name]: value }));
        if (isPlainObject(single)) Object.assign(json, single);
        else json[field.name] = String(value);
      } else if (Array.isArray(value)) {
        if (value.length > 0)
          json[field.name] = value.map((item, i) => this.message(inner, item, `${at}[${i}]`));
      } else if (field.map) {
        const entries = Object.entries(value).map(([key, item]) => [
          key,
          this.message(inner, item, `${at}["${key}"]`),
        ]);
        if (entries.length > 0) json[field.name] = Object.fromEntries(entries);
      } else {
        json[field.name] = this.message(inner, value, at);
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
