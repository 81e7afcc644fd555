import protojson from 'protobufjs/ext/protojson.js';
import { messageNameOf } from '@/lib/xds/resource-type';
import { CodecError } from './codec-error';
import { findMessageType } from './root';

/** proto3 JSON (camelCase or snake_case) to bytes. Throws a CodecError that says what was expected and what came. */
export function encodeBody(typeUrl: string, json: unknown): Uint8Array {
  const type = findMessageType(typeUrl);
  if (type === undefined) throw new CodecError(`type: expected one of xdscope's protos, got "${typeUrl}"`);
  try {
    return type.encode(protojson.fromJson(type, json)).finish();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^\./, '') : String(error);
    throw new CodecError(`${messageNameOf(typeUrl)}: ${reason}`, { cause: error });
  }
}
