import { describe, expect, it } from 'vitest';
import { formatCondition } from '@/lib/filter/format-filter';
import { holds, isSince } from '@/lib/filter/match-filter';
import { type FilterGrammar, formatFilterProblem, parseFilter } from '@/lib/filter/parse-filter';

const grammar = {
  fields: {
    type: { meaning: 'type', values: ['CDS', 'EDS'] },
    name: { meaning: 'name' },
    since: { meaning: 'age', isAge: true },
  },
  prefix: { text: 'meta.', meaning: 'metadata' },
} as const satisfies FilterGrammar;

const conditionsOf = (text: string) =>
  parseFilter(text, grammar).conditions.map(({ field, operator, value }) => [field, operator, value]);

describe('parseFilter', () => {
  it.each([
    ['type=CDS', [['type', '=', 'cds']]],
    ['TYPE!=eds', [['type', '!=', 'eds']]],
    ['name~"Cart one"', [['name', '~', 'cart one']]],
    ['name!~cart', [['name', '!~', 'cart']]],
    ['name=""', [['name', '=', '']]],
    ['meta.App=v2', [['meta.App', '=', 'v2']]],
    ['meta."App version"=v2', [['meta.App version', '=', 'v2']]],
    ['name=a=b', [['name', '=', 'a=b']]],
    ['name~"unfinished', [['name', '~', 'unfinished']]],
  ])('%s is a condition', (text, expected) => {
    expect(conditionsOf(text)).toEqual(expected);
    expect(parseFilter(text, grammar)).toMatchObject({ words: [], problems: [] });
  });

  it.each([
    ['cart', ['cart']],
    ['Cart  PAY', ['cart', 'pay']],
    ['"two words"', ['two words']],
    ['"type=CDS"', ['type=cds']],
    ['xdstp://a/b?id=3', ['xdstp://a/b?id=3']],
    ['outbound|80||a.b', ['outbound|80||a.b']],
    ['""', []],
  ])('%s is words', (text, expected) => {
    expect(parseFilter(text, grammar)).toMatchObject({ words: expected, conditions: [], problems: [] });
  });

  it.each([
    ['stat=x', 0, 6, 'no filter is called "stat": expected type, name, since or meta.KEY'],
    ['a type=LDS b', 2, 10, 'expected CDS or EDS, got "LDS"'],
    ['name=', 0, 5, 'expected a value, got none'],
    ['type~""', 0, 7, 'expected a value, got none'],
    ['since=soon', 0, 10, 'expected an age, as in 10m, 2h or 1d, got "soon"'],
    ['since!=10m', 0, 10, 'expected since=, got since!='],
    ['constructor=x', 0, 13, 'no filter is called "constructor": expected type, name, since or meta.KEY'],
    ['meta.=x', 0, 7, 'no filter is called "meta.": expected type, name, since or meta.KEY'],
  ])('%s is a problem with its position', (text, from, to, message) => {
    const { problems, conditions } = parseFilter(text, grammar);
    expect(problems).toEqual([{ from, to, message }]);
    expect(conditions).toEqual([]);
  });

  it('limits the parts and the length', () => {
    expect(parseFilter('a '.repeat(31), grammar)).toMatchObject({
      words: Array(30).fill('a'),
      problems: [{ from: 60, message: 'expected at most 30 parts, got more' }],
    });
    const long = parseFilter('a'.repeat(5_000), grammar);
    expect(long.problems).toEqual([
      { from: 4_096, to: 5_000, message: 'expected at most 4096 characters, got 5000' },
    ]);
  });

  it('formats a problem with the part and its position', () => {
    const text = 'cart type=LDS';
    const [problem] = parseFilter(text, grammar).problems;
    expect(problem && formatFilterProblem(text, problem)).toBe(
      'type=LDS at character 6: expected CDS or EDS, got "LDS"',
    );
  });
});

describe('conditions', () => {
  it.each([
    ['name=cart', ['Cart'], true],
    ['name=cart', ['carts'], false],
    ['name~cart', ['a', 'carts'], true],
    ['name!=cart', ['cart', 'other'], false],
    ['name!~cart', ['other'], true],
    ['name=""', [''], true],
    ['name=""', [], true],
    ['name!=""', ['a'], true],
  ])('%s of %j is %s', (text, values, expected) => {
    const [condition] = parseFilter(text, grammar).conditions;
    expect(condition && holds(condition, values)).toBe(expected);
  });

  it.each([
    ['since=10m', 999_400_000, true],
    ['since=10m', 999_399_999, false],
    ['since=1h30m', 994_600_000, true],
    ['since=10m', null, false],
  ])('%s of %s is %s', (text, at, expected) => {
    const [condition] = parseFilter(text, grammar, 1_000_001_234).conditions;
    expect(condition && isSince(condition, at)).toBe(expected);
  });

  it('are the same after they were formatted', () => {
    for (const [field, value] of [
      ['name', 'two words'],
      ['name', ''],
      ['meta.App version', 'v 2'],
    ] as const) {
      expect(conditionsOf(formatCondition(field, '=', value))).toEqual([[field, '=', value]]);
    }
  });
});
