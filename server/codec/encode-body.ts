import { messageNameOf } from '@/lib/xds/resource-type';
import { CodecError } from './codec-error';
import { encodeJson, findOpaqueBytes, formatProblems } from './json/json-to-message';
import { findMessageType } from './root';

/**
 * Encodes proto3 JSON (camelCase or snake_case) in the form of decodeBody(): "xdscope.opaque" and "xdscope.unknown"
 * become the bytes that they were decoded from. Throws a CodecError with the expected and the actual values.
 */
export function encodeBody(typeUrl: string, json: unknown): Uint8Array {
  const type = findMessageType(typeUrl);
  // In an Any, "xdscope.opaque" is the value of the Any.
  const opaque = type?.fullName === '.google.protobuf.Any' ? undefined : findOpaqueBytes(json);
  if (opaque !== undefined) return opaque;
  if (type === undefined) throw new CodecError(`type: expected one of xdscope's protos, got "${typeUrl}"`);
  const { bytes, problems } = encodeJson(type, json);
  if (problems.length === 0) return bytes;
  throw new CodecError(`${messageNameOf(typeUrl)}: ${formatProblems(problems)}`);
}
