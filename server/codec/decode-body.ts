import type { OpaquePart, UnknownPart, V2Part } from './body-parts';
import { isJsonObject } from './json/json-object';
import { JsonWriter } from './json/message-to-json';
import { holdsRedactionMarker, isRedactionMarker } from './redaction-marker';

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

/**
 * A resource's bytes as proto3 JSON; never rejects, and loses nothing that encodeBody could not put back:
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
  if (!isJsonObject(json)) return json;
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
