import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseWithoutNulls } from '@/server/answers/permalinks/parse-permalink';

const schema = z.object({
  since: z.number().optional(),
  hash: z.string().nullable(),
  rows: z.array(z.object({ error: z.string().optional(), weights: z.array(z.number().nullable()) })),
});

describe('parseWithoutNulls', () => {
  it('leaves out members that earlier versions stored as null, and keeps null where it is expected', () => {
    const stored = { since: null, hash: null, rows: [{ error: null, weights: [null, 1] }] };
    expect(parseWithoutNulls(schema, stored).data).toStrictEqual({
      hash: null,
      rows: [{ weights: [null, 1] }],
    });
    expect(stored.since).toBeNull();
  });

  it('states the place of what is not valid', () => {
    const { error } = parseWithoutNulls(schema, { since: null, hash: null, rows: [null, { weights: 'a' }] });
    expect(error?.issues.map(({ path }) => path)).toContainEqual(['rows', 1, 'weights']);
  });
});
