import { FieldReader } from '@/lib/model/field-reader';
import { camelCase } from '../json/camel-case';
import { isJsonObject } from '../json/json-object';

/** A reader of an answer of Envoy, whose fields are in snake case. Fields of a wrong type read as absent. */
export function adminFields(json: unknown): FieldReader {
  return FieldReader.open(inCamelCase(json), []);
}

function inCamelCase(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(inCamelCase);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [camelCase(key), inCamelCase(value)]));
}
