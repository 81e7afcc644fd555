// Adds fields that are newer than the protos of the npm package. The tables in overlay/ list, by full name of a
// message, its new fields (or all fields of a new message) by number, such as "37": "repeated core.v3.TcpKeepalive
// tcp_keepalive of a_oneof sensitive", and new values of an enum as {"enum": {"5": "RECEIVED_ERROR"}}. A field with the
// number of an existing one replaces it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';

const fieldPattern =
  /^(?:(repeated|optional) )?(?:map<(\w+), ([\w.]+)>|([\w.]+)) (\w+)(?: of (\w+))?( sensitive)?$/;

/** Must be called before the root is resolved. */
export function addFields(root, dir) {
  let count = 0;
  for (const file of readdirSync(dir).sort()) {
    const table = JSON.parse(readFileSync(path.join(dir, file), 'utf8'));
    for (const [name, entry] of Object.entries(table)) {
      if (entry.enum !== undefined) addValues(root, name, entry.enum);
      else for (const [id, text] of Object.entries(entry)) addField(typeOf(root, name), Number(id), text);
      if (Object.keys(entry).length === 0) typeOf(root, name);
      count++;
    }
  }
  return count;
}

/** A new message may be nested in an existing one. */
function parentOf(root, name) {
  const parts = name.split('.');
  const last = parts.pop();
  let parent = root;
  for (const part of parts) {
    const next = parent.get(part);
    // The tables are sorted, so that a message precedes its nested ones. Names of packages are lower-case.
    if (next === null && /^[A-Z]/.test(part)) parent = addMessage(parent, part);
    else parent = next ?? parent.define(part);
  }
  return { parent, last };
}

function addMessage(parent, name) {
  const type = new protobuf.Type(name);
  type._edition = 'proto3';
  parent.add(type);
  return type;
}

function typeOf(root, name) {
  const { parent, last } = parentOf(root, name);
  const known = parent.get(last);
  return known instanceof protobuf.Type ? known : addMessage(parent, last);
}

function addValues(root, name, values) {
  const { parent, last } = parentOf(root, name);
  let target = parent.get(last);
  if (!(target instanceof protobuf.Enum)) {
    target = new protobuf.Enum(last, {});
    target._edition = 'proto3';
    parent.add(target);
  }
  for (const [number, value] of Object.entries(values)) target.add(value, Number(number));
}

function addField(type, id, text) {
  const match = fieldPattern.exec(text);
  if (match === null) throw new Error(`protos: ${type.fullName} ${id}: expected a field, got "${text}"`);
  const [, rule, keyType, valueType, plainType, protoName, oneofName, isSensitive] = match;
  const options = {
    ...(rule === 'optional' ? { proto3_optional: true } : {}),
    ...(isSensitive === undefined ? {} : { '(udpa.annotations.sensitive)': true }),
  };
  const name = protobuf.util.camelCase(protoName);
  const field =
    keyType === undefined
      ? new protobuf.Field(name, id, plainType, rule, undefined, options)
      : new protobuf.MapField(name, id, keyType, valueType, options);
  field.protoName = protoName;
  const taken = type.fieldsArray.find((each) => each.id === id || each.name === name);
  if (taken !== undefined) type.remove(taken);
  // Reserved numbers and names are those of removed v2 fields.
  if (type.reserved !== undefined)
    type.reserved = type.reserved.filter((range) =>
      typeof range === 'string' ? range !== protoName : id < range[0] || id > range[1],
    );
  const oneofOfField = rule === 'optional' ? `_${protoName}` : oneofName;
  if (oneofOfField === undefined) {
    type.add(field);
    return;
  }
  const known = type.oneofs?.[protobuf.util.camelCase(oneofOfField)] ?? type.oneofs?.[oneofOfField];
  const oneof = known ?? new protobuf.OneOf(oneofOfField);
  // Adding a oneof adds its fields to the message.
  oneof.add(field);
  if (known === undefined) type.add(oneof);
}
