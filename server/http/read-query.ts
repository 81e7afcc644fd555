import { z } from 'zod';

/** The query of a URL in the shape of its schema: all values of a list field, the last value of any other field. */
export function readQuery(params: URLSearchParams, schema: z.ZodType): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.fromEntries(params);
  if (!(schema instanceof z.ZodObject)) return query;
  for (const [name, field] of Object.entries(schema.shape)) {
    if (isList(field)) query[name] = params.getAll(name);
  }
  return query;
}

function isList(field: unknown): boolean {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return isList(field.unwrap());
  return field instanceof z.ZodArray;
}
