// Extracts the constraints of the protos (validate.rules, validate.required) in the form that lib/validate/envoy reads:
// for each message, the fields with constraints, and the fields that lead to messages with constraints.
import protobuf from 'protobufjs';

const rulesOption = '(validate.rules)';

/** The messages of the root that have constraints, or lead to some. */
export function collectConstraints(root) {
  const messages = {};
  for (const type of listTypes(root)) {
    const entry = readMessage(type);
    if (entry !== undefined) messages[nameOf(type)] = entry;
  }
  dropDeadEnds(messages);
  return { messages };
}

function listTypes(namespace) {
  const types = [];
  for (const each of namespace.nestedArray ?? []) {
    if (each instanceof protobuf.Type) types.push(each);
    if (each.nestedArray !== undefined) types.push(...listTypes(each));
  }
  return types;
}

function nameOf(type) {
  return type.fullName.slice(1);
}

function readMessage(type) {
  const fields = {};
  for (const field of type.fieldsArray) {
    const entry = readField(field.resolve());
    if (entry !== undefined) fields[field.name] = entry;
  }
  const required = type.oneofsArray
    .filter((oneof) => findOption(oneof, '(validate.required)') === true)
    .map((oneof) => oneof.fieldsArray.map((field) => field.name));
  return Object.keys(fields).length === 0 && required.length === 0
    ? undefined
    : { fields, ...(required.length === 0 ? {} : { required }) };
}

function readField(field) {
  const rules = findOption(field, rulesOption);
  const entry = {};
  const type = field.resolvedType;
  if (field.map) entry.shape = 'map';
  else if (field.repeated) entry.shape = 'list';
  // A field with presence is validated only if it is set.
  if (type instanceof protobuf.Type || field.partOf) entry.hasPresence = true;
  if (field.partOf) entry.isInOneof = true;
  if (type instanceof protobuf.Enum) entry.enumValues = { ...type.values };
  if (type instanceof protobuf.Type) {
    const name = nameOf(type);
    if (name === 'google.protobuf.Any') entry.isAny = true;
    // A wrapper has the rules of its value, and other well-known types have no rules inside.
    else if (!name.startsWith('google.protobuf.')) entry.message = name;
  }
  if (rules !== undefined) entry.rules = rules;
  const isUseful = entry.rules !== undefined || entry.message !== undefined || entry.isAny === true;
  if (!isUseful) return undefined;
  if (entry.rules === undefined) delete entry.enumValues;
  return entry;
}

/** Finds an option of a field or oneof. Parsed options keep lists, unlike flat ones. */
function findOption(reflected, name) {
  const parsed = (reflected.parsedOptions ?? [])
    .map((each) => each[name])
    .filter((each) => each !== undefined);
  if (parsed.length > 0) return parsed.reduce((all, each) => (isObject(each) ? merge(all, each) : each), {});
  return reflected.options?.[name];
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(into, from) {
  const merged = { ...into };
  for (const [key, value] of Object.entries(from))
    merged[key] = isObject(value) && isObject(merged[key]) ? merge(merged[key], value) : value;
  return merged;
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
