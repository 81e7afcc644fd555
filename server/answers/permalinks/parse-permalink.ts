import * as z from 'zod';
import { propagationRow } from '@/lib/views/propagation/schema';
import { ApiError } from '../../api-error';
import { inSlices } from '../../workers/threads/in-slices';
import type { StoredPermalink } from './stored-permalink';
import { storedHead, storedRow } from './stored-permalink';
import { storedPropagationHead } from './stored-propagation';

const manyRows = z.array(z.unknown());
const storedShape = storedHead.extend({
  resources: manyRows,
  propagation: storedPropagationHead.extend({ rows: manyRows }).optional(),
});

/** Returns the stored form, without fields that are not in the schema. */
export async function toStoredPermalink(made: StoredPermalink): Promise<StoredPermalink> {
  const { resources, propagation, ...head } = made;
  return {
    ...storedHead.parse(head),
    resources: await parseRows(resources, storedRow),
    ...(propagation && {
      propagation: {
        ...storedPropagationHead.parse(propagation),
        rows: await parseRows(propagation.rows, propagationRow),
      },
    }),
  };
}

/** Throws an ApiError with the expected and the actual value: 501 for a newer version, else 503. */
export async function parsePermalink(id: string, content: unknown): Promise<StoredPermalink> {
  const versioned = z.object({ version: z.number() }).safeParse(content);
  if (!versioned.success) throw notReadable(id, versioned.error, [], content);
  if (versioned.data.version !== 1) {
    const detail = `permalink ${id}: expected version 1, got ${versioned.data.version}`;
    throw new ApiError(501, 'Permalink of a newer xdscope', detail);
  }
  const parsed = parseWithoutNulls(storedShape, content);
  if (!parsed.success) throw notReadable(id, parsed.error, [], content);
  const { resources, propagation, ...head } = parsed.data;
  const read = <T>(rows: readonly unknown[], schema: z.ZodType<T>, path: readonly string[]) =>
    parseRows(rows, schema, (error, index) => notReadable(id, error, [...path, index], rows[index]));
  return {
    ...head,
    resources: await read(resources, storedRow, ['resources']),
    ...(propagation && {
      propagation: {
        ...propagation,
        rows: await read(propagation.rows, propagationRow, ['propagation', 'rows']),
      },
    }),
  };
}

/** `errorOf` returns the error for an invalid row, by default its ZodError. */
async function parseRows<T>(
  rows: readonly unknown[],
  schema: z.ZodType<T>,
  errorOf: (error: z.ZodError, index: number) => Error = (error) => error,
): Promise<T[]> {
  const parsed: T[] = [];
  await inSlices(rows, (row) => {
    const result = parseWithoutNulls(schema, row);
    if (!result.success) throw errorOf(result.error, parsed.length);
    parsed.push(result.data);
  });
  return parsed;
}

function notReadable(
  id: string,
  { issues: [issue] }: z.ZodError,
  at: readonly (string | number)[],
  value: unknown,
): ApiError {
  const path = issue?.path ?? [];
  let got = value;
  for (const key of path) got = typeof got === 'object' && got !== null ? Reflect.get(got, key) : undefined;
  const expected = (issue?.message ?? 'another value').replace(/^Invalid \w+: |, received .*$/g, '');
  const where = [...at, ...path].join('.');
  const text = JSON.stringify(got)?.slice(0, 100) ?? 'nothing';
  const detail = `permalink ${id}: ${where === '' ? 'content' : where}: ${expected}, got ${text}`;
  return new ApiError(503, 'Permalink not readable', detail);
}

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
