export type JsonObject = Readonly<Record<string, unknown>>;

/** Lists and null are no JSON objects. */
export function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
