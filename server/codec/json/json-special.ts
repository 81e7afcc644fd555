import type protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { levelsExceeded } from '../document-nesting';
import { isJsonObject, type JsonObject } from './json-object';
import { showValue } from './show-value';

type Properties = Record<string, unknown>;

/** Reads a Struct, Value or ListValue that is written as its fields. */
type ReadPlain = (name: 'Struct' | 'Value' | 'ListValue', json: JsonObject) => Properties | undefined;

const examples: Readonly<Record<string, string>> = {
  Duration: 'a duration such as "1.5s"',
  Timestamp: 'a time such as "2024-01-31T12:00:00Z"',
  FieldMask: 'names of fields such as "a,b.c"',
};

/** Reads a Duration, Timestamp or FieldMask. Throws an Error with the expected form. */
export function readText(type: protobuf.Type, json: unknown): Properties {
  try {
    return { ...protojson.fromJson(type, json) };
  } catch {
    throw new Error(`expected ${examples[type.name] ?? type.name}, got ${showValue(json)}`);
  }
}

export function readStruct(json: unknown, readPlain: ReadPlain, depth = 0): Properties {
  if (!isJsonObject(json)) throw new Error(`expected an object, got ${showValue(json)}`);
  const fields: Properties = Object.create(null);
  for (const [key, value] of Object.entries(json)) fields[key] = readValue(value, readPlain, depth + 1);
  return { fields };
}

export function readValues(json: unknown, readPlain: ReadPlain, depth = 0): Properties {
  if (!Array.isArray(json)) throw new Error(`expected a list, got ${showValue(json)}`);
  return { values: json.map((item) => readValue(item, readPlain, depth + 1)) };
}

/** Reads a google.protobuf.Value, which can be any JSON. */
export function readValue(json: unknown, readPlain: ReadPlain, depth = 0): Properties {
  // An object takes three levels of messages, and a list two.
  if (depth > 100) throw levelsExceeded(100);
  switch (typeof json) {
    case 'number':
      return { numberValue: json };
    case 'string':
      return { stringValue: json };
    case 'boolean':
      return { boolValue: json };
    case 'bigint':
      return { numberValue: Number(json) };
    default:
  }
  if (Array.isArray(json)) return { listValue: readValues(json, readPlain, depth + 1) };
  if (!isJsonObject(json)) return { nullValue: 0 };
  const plainAs = json['xdscope.plain'];
  if (plainAs === 'Value') return readPlain('Value', json) ?? {};
  if (plainAs === 'ListValue') return { listValue: readPlain('ListValue', json) ?? {} };
  if (plainAs === 'Struct') return { structValue: readPlain('Struct', json) ?? {} };
  return { structValue: readStruct(json, readPlain, depth + 1) };
}
