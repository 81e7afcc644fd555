import { isJsonObject, type JsonObject } from '../../codec/json/json-object';

/** The field by its name in snake_case or camelCase. */
export function at(json: JsonObject, name: string): unknown {
  return json[name] ?? json[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
}

/** An empty object unless the field is an object. */
export function objectAt(json: JsonObject, name: string): JsonObject {
  const value = at(json, name);
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; an empty list unless the field is one. */
export function objectsAt(json: JsonObject, name: string): readonly JsonObject[] {
  const value = at(json, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The text of a field that is not empty. */
export function textAt(json: JsonObject, name: string): string | undefined {
  const value = at(json, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isEmpty(json: JsonObject): boolean {
  return Object.keys(json).length === 0;
}
