import { describe, expect, it } from 'vitest';
import {
  gained,
  noSubscription,
  type Subscription,
  subscribeDelta,
  subscribeSotw,
} from '@/server/lab/management-server/subscription';

/** "*" for the wildcard, then the names. */
const said = ({ wildcard, names }: Subscription) => [...(wildcard ? ['*'] : []), ...names];

describe('subscribeSotw', () => {
  it.each([
    ['an empty list before any name is everything', [[]], ['*']],
    ['names end the legacy wildcard', [[], ['a']], ['a']],
    ['an empty list after a name is nothing', [[], ['a'], []], []],
    ['"*" is everything again', [[], ['a'], [], ['*']], ['*']],
    ['"*" beside a name is both', [['*', 'a']], ['*', 'a']],
    ['an empty list after "*" is nothing', [['*'], []], []],
    [
      'each list replaces the one before',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      ['b', 'c'],
    ],
  ])('%s', (_, lists, expected) => {
    expect(said(lists.reduce<Subscription>(subscribeSotw, noSubscription))).toEqual(expected);
  });
});

describe('gained', () => {
  it.each([
    [['a'], ['a', 'b'], true],
    [['a', 'b'], ['a'], false],
    [['a'], ['*'], true],
    [['*'], ['*', 'a'], false],
    [['*'], ['a'], false],
    [['a'], ['b'], true],
  ])('%j -> %j: %s', (before, after, expected) => {
    const old = subscribeSotw(noSubscription, before);
    expect(gained(old, subscribeSotw(old, after))).toBe(expected);
  });
});

describe('subscribeDelta', () => {
  type Change = { subscribe?: string[]; unsubscribe?: string[] };
  it.each<[string, Change[], string[]]>([
    ['a first request without names is everything', [{}], ['*']],
    ['a name keeps the legacy wildcard', [{}, { subscribe: ['a'] }], ['*', 'a']],
    ['"*" can be dropped alone', [{}, { subscribe: ['a'] }, { unsubscribe: ['*'] }], ['a']],
    ['and then the name', [{}, { subscribe: ['a'] }, { unsubscribe: ['*'] }, { unsubscribe: ['a'] }], []],
    ['a first request with names is those', [{ subscribe: ['a'] }, {}], ['a']],
    ['dropping what is not held changes nothing', [{ subscribe: ['a'] }, { unsubscribe: ['b'] }], ['a']],
  ])('%s', (_, changes, expected) => {
    const end = changes.reduce<Subscription>(
      (old, { subscribe = [], unsubscribe = [] }, index) =>
        subscribeDelta(old, { isFirst: index === 0, subscribe, unsubscribe }),
      noSubscription,
    );
    expect(said(end)).toEqual(expected);
  });
});
