/** Limits for hostile metadata. */
const fieldsMost = 64;
const depthMost = 4;
const textMost = 200;

/**
 * Flattens node metadata into fields with one text each. Nested fields have dotted keys; each element of a list is a
 * field. There are at most 64 fields, from four levels; longer texts are cut.
 */
export function flattenMetadata(
  metadata: Readonly<Record<string, unknown>>,
): readonly (readonly [key: string, value: string])[] {
  const fields: [string, string][] = [];
  const visit = (key: string, value: unknown, depth: number): void => {
    if (fields.length >= fieldsMost || value === null || value === undefined) return;
    if (typeof value !== 'object') fields.push([key, String(value).slice(0, textMost)]);
    else if (depth >= depthMost) return;
    else if (Array.isArray(value)) for (const each of value) visit(key, each, depth + 1);
    else for (const [name, each] of Object.entries(value)) visit(`${key}.${name}`, each, depth + 1);
  };
  for (const [key, value] of Object.entries(metadata)) visit(key.slice(0, textMost), value, 1);
  return fields;
}
