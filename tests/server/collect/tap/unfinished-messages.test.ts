import { expect, test } from 'vitest';
import { UnfinishedMessages } from '@/server/collect/tap/recording/unfinished-messages';

test('the owners with the most bytes discard theirs until all fit', () => {
  const unfinished = new UnfinishedMessages<string>(100);
  expect(unfinished.hold('small', 30)).toEqual([]);
  expect(unfinished.hold('large', 60)).toEqual([]);
  expect(unfinished.hold('medium', 40)).toEqual(['large']);
  expect(unfinished.hold('small', 61)).toEqual(['small']);
});

test('bytes count once for each owner, and not after a release', () => {
  const unfinished = new UnfinishedMessages<string>(100);
  for (const bytes of [50, 90, 100]) expect(unfinished.hold('one', bytes)).toEqual([]);
  unfinished.release('one');
  expect(unfinished.hold('two', 100)).toEqual([]);
  expect(unfinished.hold('two', 101)).toEqual(['two']);
});
