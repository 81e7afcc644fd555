import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseQuery } from '@/server/answers/parse-input';

const shape = { from: z.string().optional(), limit: z.coerce.number().max(5).default(5) };

it('names a parameter that the query does not have, and those that it has', () => {
  expect(() => parseQuery(z.strictObject(shape), { before: '1' })).toThrow(
    expect.objectContaining({
      status: 400,
      detail: 'before: expected one of from, limit',
      field: 'before',
    }),
  );
});

it('ignores further parameters if the schema does', () => {
  expect(parseQuery(z.object(shape), { before: '1', limit: '2' })).toEqual({ limit: 2 });
});

it('names a parameter whose value is not valid', () => {
  expect(() => parseQuery(z.strictObject(shape), { limit: '6' })).toThrow(
    expect.objectContaining({ status: 400, field: 'limit' }),
  );
});
