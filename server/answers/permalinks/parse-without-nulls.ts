import type * as z from 'zod';

/**
 * Parses an answer that a permalink stores. Earlier versions stored null where answers now leave a member out. If the
 * answer violates its schema, it is parsed again without the members that are null and violate it.
 */
export function parseWithoutNulls<T>(schema: z.ZodType<T>, stored: unknown): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed;
  const content = structuredClone(stored);
  for (const { path } of parsed.error.issues) deleteNull(content, path);
  const again = schema.safeParse(content);
  return again.success ? again : parsed;
}

function deleteNull(content: unknown, path: readonly PropertyKey[]): void {
  let parent = content;
  for (const key of path.slice(0, -1)) parent = memberOf(parent, key);
  const last = path.at(-1);
  if (last !== undefined && typeof parent === 'object' && parent !== null && memberOf(parent, last) === null)
    Reflect.deleteProperty(parent, last);
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
