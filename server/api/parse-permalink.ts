import { z } from 'zod';
import { inSlices } from '../threads/in-slices';
import { ApiError } from './api-error';
import { type StoredPermalink, type StoredRow, storedHead, storedRow } from './stored-permalink';

/** What is stored, of what a permalink is made of: fields that the schema does not name are left out. */
export async function toStoredPermalink(made: StoredPermalink): Promise<StoredPermalink> {
  const { resources, ...head } = made;
  return { ...storedHead.parse(head), resources: await rowsOf(resources, (row) => storedRow.parse(row)) };
}

/** What was stored. Throws ApiError, which says what was expected and what came: 501 of a newer version, else 503. */
export async function parsePermalink(id: string, content: unknown): Promise<StoredPermalink> {
  const versioned = z.object({ version: z.number() }).safeParse(content);
  if (!versioned.success) throw notReadable(id, versioned.error, [], content);
  if (versioned.data.version !== 1) {
    const detail = `permalink ${id}: expected version 1, got ${versioned.data.version}`;
    throw new ApiError(501, 'Permalink of a newer xdscope', detail);
  }
  const parsed = storedHead.extend({ resources: z.array(z.unknown()) }).safeParse(content);
  if (!parsed.success) throw notReadable(id, parsed.error, [], content);
  const { resources, ...head } = parsed.data;
  let index = 0;
  const rows = await rowsOf(resources, (row) => {
    const parsedRow = storedRow.safeParse(row);
    if (!parsedRow.success) throw notReadable(id, parsedRow.error, ['resources', index], row);
    index += 1;
    return parsedRow.data;
  });
  return { ...head, resources: rows };
}

async function rowsOf<T>(rows: readonly T[], parse: (row: T) => StoredRow): Promise<StoredRow[]> {
  const parsed: StoredRow[] = [];
  await inSlices(rows, (row) => {
    parsed.push(parse(row));
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
