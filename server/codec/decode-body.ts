import { JsonWriter } from './json/message-to-json';
import type { WireTypeName } from './json/unknown-field';
import { holdsRedactionMarker, isRedactionMarker } from './redaction-marker';

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

/** A field that its message's type does not have: of a newer version of the type, mostly. */
export interface UnknownPart {
  /** JSON path of the message that it is in, '' for the resource itself. */
  readonly path: string;
  readonly field: number;
  readonly wireType: WireTypeName;
  /** Of the value, without tag and length. */
  readonly sizeBytes: number;
  /** SHA-256 of the value, hex. */
  readonly hash: string;
}

/** A part of a v2 type. Its JSON keeps the v2 "@type"; its fields have the names of the type that it is read as. */
export interface V2Part {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  /** Full name of the v3 twin, or of the v2 type where that has none. */
  readonly readAs: string;
}

export interface DecodedBody {
  /** proto3 JSON. Redacted bytes fields hold the marker as text, not in base64. */
  readonly json: unknown;
  readonly opaque: readonly OpaquePart[];
  readonly unknown: readonly UnknownPart[];
  readonly v2: readonly V2Part[];
  /** JSON paths whose values are redaction markers, or have some in them. */
  readonly redacted: readonly string[];
}

export interface DecodeOptions {
  /** For models and rules, which know the types of v3: parts of v2 types have the "@type" that they are read as. */
  readonly asV3?: boolean;
}

type JsonObject = Record<string, unknown>;

/**
 * A resource's bytes as proto3 JSON; never refuses, and loses nothing that encodeBody could not put back:
 * - An Any of an unknown type, or with a value that is no protobuf, stays in its place as
 *   `{"@type": URL, "xdscope.opaque": {reason, sizeBytes, sha256, valueBase64}}`; so does the whole resource when it
 *   is of an unknown type or no protobuf.
 * - Unknown fields stand beside the known ones of their message, as `"xdscope.unknown": [{field, wireType, ...}]`; those
 *   of an Any itself are in `"xdscope.anyUnknown"`.
 * - A type with JSON of its own (a Duration, a Struct) that its JSON cannot hold is written as its fields; where that
 *   could be mistaken for content, with `"xdscope.plain": "Struct"`.
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
  // Only a body that holds a marker is walked for it.
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
  if (!isPlainObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      // There the bytes of a marker stay base64, as all bytes there do.
      key.startsWith('xdscope.') ? value : showMarkers(value, path === '' ? key : `${path}.${key}`, redacted),
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
