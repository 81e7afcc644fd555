import type { OpaquePart, UnknownPart, V2Part } from './body-parts';
import { isJsonObject } from './json/json-object';
import { JsonWriter } from './json/message-to-json';
import { holdsRedactionMarker, isRedactionMarker } from './redaction-marker';

export interface DecodedBody {
  /** proto3 JSON. Redacted bytes fields hold the marker as text, and bytes that are an IP address have its text. */
  readonly json: unknown;
  readonly opaque: readonly OpaquePart[];
  readonly unknown: readonly UnknownPart[];
  readonly v2: readonly V2Part[];
  /** JSON paths of the values that contain redaction markers. */
  readonly redacted: readonly string[];
}

export interface DecodeOptions {
  /** Parts of v2 types get the "@type" of their v3 twin, for models and rules that support only v3. */
  readonly asV3?: boolean;
}

/**
 * Decodes a resource to proto3 JSON. Never throws, and encodeBody() restores the same bytes:
 * - An Any of an unknown type, or with a value that is not protobuf, becomes `{"@type": URL, "xdscope.opaque":
 *   {reason, sizeBytes, sha256, valueBase64}}`. So does the whole resource if its type is unknown or its bytes are no
 *   protobuf.
 * - Unknown fields follow the known fields of their message as `"xdscope.unknown": [{field, wireType, ...}]`; those
 *   of an Any itself as `"xdscope.anyUnknown"`.
 * - A value of a type with a special JSON form (such as Duration or Struct) that this form cannot represent is
 *   written as its fields, with `"xdscope.plain": "Struct"` if it could be mistaken for content.
 */
export function decodeBody(
  typeUrl: string,
  bytes: Uint8Array,
  { asV3 = false }: DecodeOptions = {},
): DecodedBody {
  const writer = new JsonWriter(asV3);
  const json = writer.any(typeUrl, bytes, 0);
  const { opaque, unknown, v2 } = writer;
  const redacted: string[] = [];
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('[redacted')
    ? showMarkers(json, '', redacted)
    : json;
  return { json: shown, opaque, unknown, v2, redacted };
}

function showMarkers(json: unknown, path: string, redacted: string[]): unknown {
  if (typeof json === 'string') {
    const text = holdsRedactionMarker(json) ? json : findMarkerInBase64(json);
    if (text === undefined) return json;
    redacted.push(path);
    return text;
  }
  if (Array.isArray(json)) return json.map((item, index) => showMarkers(item, `${path}[${index}]`, redacted));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      // These members contain all bytes as base64, markers included.
      key.startsWith('xdscope.') ? value : showMarkers(value, path === '' ? key : `${path}.${key}`, redacted),
    ]),
  );
}

/** This is "[redacted" in base64. */
const markerBase64 = 'W3JlZGFjdGVk';

function findMarkerInBase64(text: string): string | undefined {
  if (!text.startsWith(markerBase64) || text.length > 96) return undefined;
  const decoded = Buffer.from(text, 'base64').toString('latin1');
  return isRedactionMarker(decoded) ? decoded : undefined;
}
