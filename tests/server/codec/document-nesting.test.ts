import { describe, expect, it } from 'vitest';
import { assertBlockNesting, assertJsonNesting, NestingError } from '@/server/codec/document-nesting';
import { readInput } from '@/server/codec/input/read-input';

const cluster = '"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a"';

/** As many objects inside one another. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

describe('assertJsonNesting()', () => {
  it.each([
    ['500 objects', nested(500)],
    ['500 lists', '['.repeat(500) + ']'.repeat(500)],
    ['brackets within strings', JSON.stringify({ a: '['.repeat(5_000), b: '\\"['.repeat(5_000) })],
    ['much beside one another', `[${'[],'.repeat(5_000)}[]]`],
    ['a string that does not end', '"['],
    ['an object of 100,000 members', `{${'"a":1,'.repeat(99_999)}"a":1}`],
    ['a document of 800,000 members and items', `{"a":[${'1,'.repeat(799_998)}1]}`],
    ['objects with nothing in them', `[${'{ }, [\n],'.repeat(200_000)}1]`],
  ])('passes %s', (_, text) => {
    expect(() => assertJsonNesting(text)).not.toThrow();
  });

  it.each([
    ['501 objects', nested(501)],
    ['lists that nothing closes', '['.repeat(501)],
    ['an object of 100,001 members', `{${'"a":1,'.repeat(100_000)}"a":1}`],
    ['a document of 800,001 members and items', `{"a":[${'1,'.repeat(799_999)}1]}`],
    ['an object that ends in the middle', `{"a":{${'"a":1,'.repeat(100_000)}`],
  ])('rejects %s', (_, text) => {
    expect(() => assertJsonNesting(text)).toThrow(NestingError);
  });
});

describe('a limit names what was expected and what came', () => {
  it.each([
    ['levels', nested(501), 'expected at most 500 levels of nesting, got 501'],
    ['levels that nothing closes', '['.repeat(70_000), 'expected at most 500 levels of nesting, got 70000'],
    [
      'members of one object',
      `{${'"a":1,'.repeat(200_000)}"a":1}`,
      'expected at most 100000 members in an object, got 200001',
    ],
    [
      'members of ten objects',
      `[${Array.from({ length: 10 }, () => `{${'"a":1,'.repeat(99_998)}"a":1}`).join(',')}]`,
      'expected at most 800000 members in a document, got 1000000',
    ],
  ])('%s', (_, text, message) => {
    expect(() => assertJsonNesting(text)).toThrow(message);
  });
});

describe('readInput() of an object of many members', () => {
  const json = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  const yaml = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('');

  it.each([
    ['json', json(1_000_000), 'expected at most 100000 members in an object, got 1000000'],
    ['yaml', yaml(100_001), 'expected at most 100000 members in an object, got 100001'],
    ['yaml', json(100_001), 'expected at most 100000 members in an object, got 100001'],
    [
      'yaml',
      `a:\n  - ${yaml(100_001).replaceAll('\n', '\n    ')}`,
      'expected at most 100000 members in an object, got 100001',
    ],
    [
      'yaml',
      `l:\n${'- a: 1\n  b: {c: 1}\n'.repeat(37_000)}`,
      'expected a document with resources in it, found none',
    ],
    [
      'yaml',
      `l:\n${'- a: 1\n  b: {c: 1}\n'.repeat(60_000)}`,
      'expected at most 150000 members in a document, got 240001',
    ],
    ['yaml', `[[${'1,'.repeat(200_000)}1]]`, 'expected at most 150000 members in a document, got 200002'],
    ['yaml', `l:\n${'- - 1\n'.repeat(80_000)}`, 'expected at most 150000 members in a document, got 160001'],
    [
      'yaml',
      `a: &a\n${yaml(1_000).replaceAll(/^/gm, '  ').trimEnd()}\nl:\n${'- *a\n'.repeat(900)}`,
      'expected at most 800000 members in a document, got 901902',
    ],
    [
      'yaml',
      `a: "{"\nb: |\n${'  x, y\n'.repeat(100_001)}`,
      'expected a document with resources in it, found none',
    ],
    ['yaml', yaml(100_000), 'expected a document with resources in it, found none'],
    ['yaml', 'a: 1\nb: {c: 1, d: 2, c: 3}\n', 'expected YAML, got no YAML: it stops at line 2, column 17'],
  ] as const)(
    'as %s answers within seconds',
    (format, text, reason) => {
      const { problems } = readInput({ content: text, format });
      expect(problems).toEqual([{ place: '', reason }]);
    },
    30_000,
  );
});

describe('assertBlockNesting()', () => {
  it.each([
    ['500 levels of indentation', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['a long list', '- a: [1, 2]\n'.repeat(5_000)],
    ['levels that come and go', 'a:\n  b:\n    c: 1\n'.repeat(5_000)],
    ['brackets that are closed', 'a: "[]"\n'.repeat(5_000)],
  ])('passes %s', (_, text) => {
    expect(() => assertBlockNesting(text)).not.toThrow();
  });

  it.each([
    ['501 levels of indentation', Array.from({ length: 501 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['lists in one line', `${'- '.repeat(600)}a`],
    ['keys in one line', `${'? '.repeat(600)}a`],
    ['brackets', '['.repeat(501)],
  ])('rejects %s', (_, text) => {
    expect(() => assertBlockNesting(text)).toThrow(
      'expected at most 500 levels of nesting, got at least 501',
    );
  });
});

describe('readInput() of a document nested a hundred thousand levels deep', () => {
  const levels = 100_000;
  it.each([
    ['JSON', 'json', `{${cluster},"metadata":${nested(levels)}}`],
    ['an envelope', 'json', `{"typeUrl":"x","resource":${nested(levels)}}`],
    ['lists', 'json', '['.repeat(levels) + ']'.repeat(levels)],
    ['YAML', 'yaml', `${'- '.repeat(levels)}a`],
    ['YAML in brackets', 'yaml', '['.repeat(levels)],
    ["protobuf's text format", 'text', 'a { '.repeat(levels)],
    ['what does not say what it is', undefined, '['.repeat(levels)],
  ] as const)('reports the limit: %s', (_, format, text) => {
    const { problems } = readInput({ content: Buffer.from(text), ...(format && { format }) });
    expect(problems).toEqual([{ place: '', reason: expect.stringContaining('500 levels of nesting') }]);
  });
});
