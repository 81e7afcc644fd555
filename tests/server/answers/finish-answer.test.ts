import { expect, test } from 'vitest';
import * as z from 'zod';
import { finishAnswer } from '@/server/answers/finish-answer';

const answer = z.object({ items: z.array(z.object({ name: z.string() })) });

test('an answer has no field that its schema does not state, at any depth', () => {
  const given = { items: [{ name: 'a', token: 'secret' }], internal: 1 };
  expect(finishAnswer({ answer }, given)).toStrictEqual({ items: [{ name: 'a' }] });
});

test('long texts are cut unless the question asks for whole texts', () => {
  const given = { items: [{ name: 'x'.repeat(20_000) }] };
  expect(finishAnswer({ answer, hasWholeTexts: true }, given)).toEqual(given);
  expect(JSON.stringify(finishAnswer({ answer }, given)).length).toBeLessThan(1_200);
});

test('an answer that violates its schema is an error that names the field', () => {
  expect(() => finishAnswer({ answer }, { items: [{ name: 'a' }, { name: 2 }] })).toThrow(
    'the answer violates its schema at items.1.name: Invalid input: expected string, received number',
  );
});

test('a Response, and the lack of an answer, are returned unchanged', () => {
  const response = new Response('csv');
  expect(finishAnswer({ answer }, response)).toBe(response);
  expect(finishAnswer({ answer }, undefined)).toBeUndefined();
  expect(finishAnswer({}, 1)).toBe(1);
});
