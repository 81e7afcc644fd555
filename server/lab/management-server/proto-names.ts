import protobuf from 'protobufjs';
import { findMessageType } from '../../codec/root';

type JsonObject = Record<string, unknown>;

/**
 * Converts proto3 JSON to the field names of the .proto files ("version_info"), like Go's protojson with
 * UseProtoNames and therefore go-control-plane. Keys of maps and of Structs are not changed.
 */
export function withProtoNames(type: protobuf.Type | undefined, json: unknown): unknown {
  if (!isObject(json)) return json;
  if (type === undefined || type.fullName === '.google.protobuf.Any') return anyWithProtoNames(json);
  if (type.fullName.startsWith('.google.protobuf.')) return json;
  const fields = new Map(type.fieldsArray.map((field) => [field.jsonName, field]));
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      const field = fields.get(key);
      return field === undefined ? [key, value] : [field.protoName, valueWithProtoNames(field, value)];
    }),
  );
}

function anyWithProtoNames(json: JsonObject): JsonObject {
  const { '@type': typeUrl, ...rest } = json;
  const type = typeof typeUrl === 'string' ? findMessageType(typeUrl) : undefined;
  if (type === undefined) return json;
  return { '@type': typeUrl, ...(withProtoNames(type, rest) as JsonObject) };
}

function valueWithProtoNames(field: protobuf.Field, value: unknown): unknown {
  const type = field.resolve().resolvedType;
  if (!(type instanceof protobuf.Type)) return value;
  if (Array.isArray(value)) return value.map((each) => withProtoNames(type, each));
  if (field.map && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withProtoNames(type, each)]));
  }
  return withProtoNames(type, value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
