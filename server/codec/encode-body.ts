import { messageNameOf } from '@/lib/xds/resource-type';
import { CodecError } from './codec-error';
import { encodeJson, findOpaqueBytes } from './json/json-to-message';
import { findMessageType } from './root';

/**
 * proto3 JSON (camelCase or snake_case), as decodeBody writes it, to bytes: "xdscope.opaque" and "xdscope.unknown"
 * become what they came from. Throws a CodecError that says what was expected and what came.
 */
export function encodeBody(typeUrl: string, json: unknown): Uint8Array {
  const type = findMessageType(typeUrl);
  // In an Any it may be what the Any holds.
  const opaque = type?.fullName === '.google.protobuf.Any' ? undefined : findOpaqueBytes(json);
  if (opaque !== undefined) return opaque;
  if (type === undefined) throw new CodecError(`type: expected one of xdscope's protos, got "${typeUrl}"`);
  const { bytes, problems } = encodeJson(type, json);
  if (problems.length === 0) return bytes;
  const shown = problems
    .slice(0, 3)
    .map(({ place, reason }) => (place === '' ? reason : `${place}: ${reason}`));
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
  throw new CodecError(`${messageNameOf(typeUrl)}: ${shown.join('; ')}${more}`);
}
