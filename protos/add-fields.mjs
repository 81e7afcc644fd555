// Adds fields and messages that no Go module has. The tables in overlay/ list, by full name of a message, its new fields
// (or all fields of a new message) by number, such as "37": "repeated core.v3.TcpKeepalive tcp_keepalive of a_oneof
// sensitive".
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { enumsOf, messagesOf } from './descriptors.mjs';

const fieldPattern = /^(repeated )?(?:map<(\w+), ([\w.]+)>|([\w.]+)) (\w+)(?: of (\w+))?( sensitive)?$/;

const scalars = { bool: 8, bytes: 12, double: 1, int32: 5, int64: 3, string: 9, uint32: 13, uint64: 4 };

/** Changes the messages of `files`. */
export function addFields(files, dir) {
  const messages = new Map([...messagesOf(files)].map(({ name, message }) => [name, message]));
  const enums = new Set([...enumsOf(files)].map(({ name }) => name));
  const tables = readdirSync(dir).map((file) => JSON.parse(readFileSync(path.join(dir, file), 'utf8')));
  const entries = tables.flatMap((table) => Object.entries(table));
  for (const [name] of entries) {
    if (messages.has(name)) continue;
    const dot = name.lastIndexOf('.');
    const message = {
      name: name.slice(dot + 1),
      field: [],
      nestedType: [],
      enumType: [],
      extension: [],
      oneofDecl: [],
    };
    messages.set(name, message);
    files.push({
      package: name.slice(0, dot),
      syntax: 'proto3',
      messageType: [message],
      enumType: [],
      service: [],
      extension: [],
    });
  }
  for (const [name, fields] of entries) {
    for (const [id, text] of Object.entries(fields)) addField({ messages, enums }, name, Number(id), text);
  }
}

function addField({ messages, enums }, scope, number, text) {
  const match = fieldPattern.exec(text);
  if (match === null) throw new Error(`protos: ${scope} ${number}: expected a field, got "${text}"`);
  const [, isRepeated, keyType, valueType, plainType, name, oneof, isSensitive] = match;
  const message = messages.get(scope);
  if (message.field.some((each) => each.number === number || each.name === name))
    throw new Error(`protos: ${scope} has the field ${number} or "${name}"`);
  const field = {
    name,
    number,
    label: isRepeated === undefined && keyType === undefined ? 1 : 3,
    ...typeOf({ messages, enums }, scope, valueType ?? plainType),
    ...(isSensitive === undefined ? {} : { options: { sensitive: true, rules: [] } }),
  };
  if (keyType !== undefined) {
    const entry = `${name}_entry`;
    const key = { name: 'key', number: 1, label: 1, type: scalars[keyType] };
    const value = { ...field, name: 'value', number: 2, label: 1 };
    message.nestedType.push({ name: entry, field: [key, value], options: { mapEntry: true } });
    Object.assign(field, { type: 11, typeName: `.${scope}.${entry}` });
  }
  if (oneof !== undefined) field.oneofIndex = findOneof(message, oneof);
  message.field.push(field);
}

function findOneof(message, name) {
  const known = message.oneofDecl.findIndex((each) => each.name === name);
  return known === -1 ? message.oneofDecl.push({ name }) - 1 : known;
}

/** A message or enum can be named relative to the scope that contains it, as in a .proto file. */
function typeOf({ messages, enums }, scope, type) {
  if (Object.hasOwn(scalars, type)) return { type: scalars[type] };
  for (let outer = scope; ; outer = outer.slice(0, Math.max(0, outer.lastIndexOf('.')))) {
    const name = outer === '' ? type : `${outer}.${type}`;
    if (messages.has(name)) return { type: 11, typeName: `.${name}` };
    if (enums.has(name)) return { type: 14, typeName: `.${name}` };
    if (outer === '') throw new Error(`protos: ${scope}: the type "${type}" is unknown`);
  }
}
