import { expect, test } from 'vitest';
import { keyed } from '@/app/_views/resolved/keyed';

test('keyed: equal names have different keys, and the first key stays when the second name is removed', () => {
  const keysOf = (names: readonly string[]) => keyed(names, (name) => name).map(({ key }) => key);
  expect(keysOf(['a', 'b', 'a'])).toEqual(['1 a', '1 b', '2 a']);
  expect(keysOf(['a', 'b'])).toEqual(['1 a', '1 b']);
  expect(keyed(['x', 'y'], (name) => name).map(({ place }) => place)).toEqual([1, 2]);
});
