// Writes generated/types.txt with a line for each type, so that a reader parses and builds only the types that it
// needs.
import protobuf from 'protobufjs';
import { messagesOf } from './descriptors.mjs';

/**
 * The first line is JSON of {previous, extensions}: `previous` has the v3 types by full name of the v2 types that they
 * came from, and `extensions` the names of the extensions of a type. A line `NAME JSON` follows for each top-level
 * message, enum and service, and for each extension, with the JSON of protobufjs and fully qualified references.
 */
export function writeTypes(files) {
  const previous = {};
  for (const { name, message } of messagesOf(files)) {
    const older = message.options?.versioning?.previousMessageType;
    // Some messages have a predecessor in v3.
    if (older !== undefined && !/\.v3\./.test(older)) previous[older] = name;
  }
  const types = linesOf(files);
  const extensions = {};
  for (const { name, json } of types.filter((each) => each.json.extend !== undefined)) {
    const extended = json.extend.slice(1);
    extensions[extended] = [...(extensions[extended] ?? []), name];
  }
  const lines = types.map(({ name, json }) => `${name} ${JSON.stringify(json)}`);
  return [JSON.stringify({ previous, extensions }), ...lines].join('\n');
}

const anyFile = 'google/protobuf/any.proto';
const anyJson = protobuf.common.get(anyFile).nested.google.nested.protobuf.nested.Any;

/** The full name and the protobufjs JSON of each top-level message, enum, service and extension. */
export function linesOf(files) {
  return files.flatMap((file) => {
    // protobufjs converts an Any by its own names of the fields.
    if (file.name === anyFile) return [{ name: 'google.protobuf.Any', json: anyJson }];
    if (file.edition !== undefined) throw new Error(`protos: ${file.name} has an edition`);
    const edition = file.syntax === 'proto3' ? {} : { edition: 'proto2' };
    const named = (objects, read) =>
      objects.map((each) => ({
        name: file.package === undefined ? each.name : `${file.package}.${each.name}`,
        json: { ...edition, ...read(each, edition) },
      }));
    return [
      ...named(file.messageType, messageJson),
      ...named(file.enumType, enumJson),
      ...named(file.service, serviceJson),
      ...named(file.extension, fieldJson),
    ];
  });
}

const camelCase = protobuf.util.camelCase;

function messageJson(message, edition) {
  const entries = new Map();
  const nested = {};
  for (const each of message.nestedType) {
    if (each.options?.mapEntry) entries.set(each.name, each);
    else nested[each.name] = messageJson(each, edition);
  }
  for (const each of message.enumType) nested[each.name] = enumJson(each);
  if (message.extension.length > 0) throw new Error(`protos: ${message.name} contains an extension`);
  const fields = {};
  const oneofs = message.oneofDecl.map(({ name }) => ({ name: camelCase(name), oneof: [] }));
  for (const field of message.field) {
    const name = camelCase(field.name);
    fields[name] = fieldJson(field, edition, entries.get(field.typeName?.split('.').at(-1)));
    if (field.oneofIndex !== undefined) oneofs[field.oneofIndex].oneof.push(name);
  }
  return {
    ...(oneofs.length === 0
      ? {}
      : { oneofs: Object.fromEntries(oneofs.map(({ name, oneof }) => [name, { oneof }])) }),
    fields,
    ...(Object.keys(nested).length === 0 ? {} : { nested }),
  };
}

const labels = { 2: 'required', 3: 'repeated' };
const scalars = {
  1: 'double',
  2: 'float',
  3: 'int64',
  4: 'uint64',
  5: 'int32',
  6: 'fixed64',
  7: 'fixed32',
  8: 'bool',
  9: 'string',
  12: 'bytes',
  13: 'uint32',
  15: 'sfixed32',
  16: 'sfixed64',
  17: 'sint32',
  18: 'sint64',
};

/** `entry` is the nested message of the entries of a map. */
function fieldJson(field, _edition, entry) {
  const { name, number, label, extendee, jsonName } = field;
  const options = optionsOf(field);
  const [key, value] = entry?.field.toSorted((a, b) => a.number - b.number) ?? [];
  return {
    ...(key === undefined
      ? { ...(label in labels ? { rule: labels[label] } : {}), type: typeOf(field) }
      : { keyType: typeOf(key), type: typeOf(value) }),
    id: number,
    ...(extendee === undefined ? {} : { extend: extendee }),
    ...(camelCase(name) === name ? {} : { protoName: name }),
    ...(jsonName === undefined ? {} : { jsonName }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

function typeOf({ name, type, typeName }) {
  const known = scalars[type] ?? typeName;
  if (known === undefined || type === 10) throw new Error(`protos: ${name} is a group`);
  return known;
}

function optionsOf({ type, options, defaultValue, proto3Optional }) {
  const isText = type === 9 || type === 12 || type === 14;
  return {
    ...(options?.packed === undefined ? {} : { packed: options.packed }),
    ...(defaultValue === undefined ? {} : { default: isText ? defaultValue : JSON.parse(defaultValue) }),
    ...(proto3Optional ? { proto3_optional: true } : {}),
    ...(options?.sensitive ? { '(udpa.annotations.sensitive)': true } : {}),
  };
}

function enumJson({ value, options }) {
  return {
    ...(options?.allowAlias ? { options: { allow_alias: true } } : {}),
    values: Object.fromEntries(value.map(({ name, number }) => [name, number])),
  };
}

function serviceJson({ method }) {
  const methods = method.map(({ name, inputType, outputType, clientStreaming, serverStreaming }) => [
    name,
    {
      requestType: inputType,
      ...(clientStreaming ? { requestStream: true } : {}),
      responseType: outputType,
      ...(serverStreaming ? { responseStream: true } : {}),
    },
  ]);
  return { methods: Object.fromEntries(methods) };
}
