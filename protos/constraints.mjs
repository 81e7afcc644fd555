// Extracts the constraints of the protos (validate.rules, validate.required) in the form that lib/validate/envoy reads:
// for each message, the fields with constraints, and the fields that lead to messages with constraints.
import { isDeepStrictEqual } from 'node:util';
import protobuf from 'protobufjs';
import { enumsOf, messagesOf } from './descriptors.mjs';
import { linesOf } from './write-types.mjs';

/** The messages of the files that have constraints, or lead to some, by full name. */
export function collectConstraints(files) {
  const readRules = rulesReader(files);
  const enums = new Map([...enumsOf(files)].map(({ name, declared }) => [`.${name}`, declared.value]));
  const messages = {};
  for (const { name, message } of messagesOf(files)) {
    const entry = readMessage(message, enums, readRules);
    if (entry !== undefined) messages[name] = entry;
  }
  dropDeadEnds(messages);
  return messages;
}

/**
 * Returns what an older version of the protos has instead: by message, the fields that differ and `required` if it
 * differs. `null` stands for none. Only messages of the older version's own files are compared.
 */
export function differencesOf(newer, older, ownFiles) {
  const differences = {};
  for (const { name } of messagesOf(ownFiles)) {
    const [before, after] = [newer[name], older[name]];
    if (isDeepStrictEqual(before, after)) continue;
    const fields = {};
    for (const field of Object.keys({ ...before?.fields, ...after?.fields })) {
      const own = after?.fields[field];
      if (!isDeepStrictEqual(before?.fields[field], own)) fields[field] = own ?? null;
    }
    const required = isDeepStrictEqual(before?.required, after?.required)
      ? {}
      : { required: after?.required ?? null };
    differences[name] = { fields, ...required };
  }
  return differences;
}

/** A function that decodes the bytes of validate.FieldRules to an object with the names of validate.proto. */
function rulesReader(files) {
  const types = linesOf(
    files.filter(({ package: name }) => name === 'validate' || name === 'google.protobuf'),
  );
  const root = new protobuf.Root();
  for (const { name, json } of types) {
    if (json.extend === undefined)
      root
        .define(name.slice(0, name.lastIndexOf('.')))
        .addJSON({ [name.slice(name.lastIndexOf('.') + 1)]: json });
  }
  const type = root.resolveAll().lookupType('validate.FieldRules');
  return (bytes) => withProtoNames(type, type.toObject(type.decode(bytes), { enums: String, longs: Number }));
}

function withProtoNames(type, object) {
  const named = {};
  for (const [name, value] of Object.entries(object)) {
    const field = type.fields[name];
    const inner = field.resolvedType;
    named[field.protoName] = inner instanceof protobuf.Type ? withProtoNames(inner, value) : value;
  }
  return named;
}

function readMessage(message, enums, readRules) {
  const entries = new Map(message.nestedType.map((nested) => [nested.name, nested]));
  const fields = {};
  for (const field of message.field) {
    const map = field.type === 11 ? entries.get(field.typeName.split('.').at(-1)) : undefined;
    const entry = readField(field, map?.options?.mapEntry ? map : undefined, enums, readRules);
    if (entry !== undefined) fields[jsonNameOf(field.name)] = entry;
  }
  const required = message.oneofDecl.flatMap(({ options }, index) => {
    if (options?.required !== true) return [];
    const members = message.field.filter((field) => field.oneofIndex === index);
    return [members.map(({ name }) => jsonNameOf(name))];
  });
  return Object.keys(fields).length === 0 && required.length === 0
    ? undefined
    : { fields, ...(required.length === 0 ? {} : { required }) };
}

function readField(field, map, enums, readRules) {
  const { type, typeName } = map === undefined ? field : map.field.find(({ number }) => number === 2);
  const entry = {};
  if (map !== undefined) entry.shape = 'map';
  else if (field.label === 3) entry.shape = 'list';
  // A field with presence is validated only if it is set.
  if (type === 11 || field.oneofIndex !== undefined) entry.hasPresence = true;
  if (field.oneofIndex !== undefined) entry.isInOneof = true;
  if (type === 11) {
    const name = typeName.slice(1);
    if (name === 'google.protobuf.Any') entry.isAny = true;
    // A wrapper has the rules of its value, and other well-known types have no rules inside.
    else if (!name.startsWith('google.protobuf.')) entry.message = name;
  }
  const rules = field.options?.rules ?? [];
  if (rules.length > 0) {
    if (type === 14)
      entry.enumValues = Object.fromEntries(enums.get(typeName).map(({ name, number }) => [name, number]));
    entry.rules = readRules(Buffer.concat(rules));
  }
  const isUseful = entry.rules !== undefined || entry.message !== undefined || entry.isAny === true;
  return isUseful ? entry : undefined;
}

/** Removes fields that lead only to messages without constraints. */
function dropDeadEnds(messages) {
  const alive = new Set(
    Object.keys(messages).filter((name) => {
      const { fields, required } = messages[name];
      return (
        required !== undefined || Object.values(fields).some((each) => each.rules !== undefined || each.isAny)
      );
    }),
  );
  for (let grown = true; grown; ) {
    grown = false;
    for (const [name, { fields }] of Object.entries(messages)) {
      if (alive.has(name) || !Object.values(fields).some((each) => alive.has(each.message))) continue;
      alive.add(name);
      grown = true;
    }
  }
  for (const [name, { fields }] of Object.entries(messages)) {
    if (!alive.has(name)) delete messages[name];
    for (const [key, each] of Object.entries(fields)) {
      if (each.message === undefined || alive.has(each.message)) continue;
      delete each.message;
      if (each.rules === undefined) delete fields[key];
    }
  }
}

/** "consecutive_5xx" -> "consecutive5xx", where protobufjs keeps the underscore. */
function jsonNameOf(name) {
  return name.replace(/_+(.?)/g, (_, letter) => letter.toUpperCase());
}
