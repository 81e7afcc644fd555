import { expect, test } from 'vitest';
import { messageOf } from '@/lib/format/message-of';

test.each([
  [new RangeError('too far'), 'too far'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('the message of %s is "%s"', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
