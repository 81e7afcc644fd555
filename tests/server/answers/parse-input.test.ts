import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput } from '@/server/answers/parse-input';

const schema = z.strictObject({
  kind: z.enum(['a', 'b']).optional(),
  count: z.number().int().min(0).optional(),
  name: z.string().max(100).optional(),
  items: z
    .array(z.strictObject({ weight: z.number().min(1) }))
    .max(2)
    .optional(),
  apiToken: z.string().max(3).optional(),
});

const messageOf = (input: unknown): string => {
  try {
    parseInput(schema, input);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('parseInput states the expected and the actual value', () => {
  it.each([
    [{ kind: 'c' }, 'kind: Invalid option: expected one of "a"|"b", got "c"'],
    [{ count: -1 }, 'count: Too small: expected number to be >=0, got -1'],
    [
      { items: [{ weight: 1 }, { weight: 0 }] },
      'items.1.weight: Too small: expected number to be >=1, got 0',
    ],
    [{ items: [{}] }, 'items.0.weight: Invalid input: expected number, received undefined'],
    [
      { items: [1, 2, 3].map((weight) => ({ weight })) },
      'items: Too big: expected array to have <=2 items, got 3 items',
    ],
    [{ count: 'x' }, 'count: Invalid input: expected number, received string'],
    [{ other: 1 }, 'body: Unrecognized key: "other"'],
    ['text', 'body: Invalid input: expected object, received string'],
  ])('%j', (input, message) => expect(messageOf(input)).toBe(message));

  it('a long text is cut, and its length reported', () => {
    const message = messageOf({ name: 'x'.repeat(5_000) });
    expect(message).toContain('got 5000 characters: "xxx');
    expect(message.length).toBeLessThan(250);
  });

  it('what may be a secret is not reported', () => {
    expect(messageOf({ apiToken: 'hunter2' })).toBe(
      'apiToken: Too big: expected string to have <=3 characters',
    );
  });
});
