import { describe, expect, it } from 'vitest';
import { assertBlockNesting, assertJsonNesting, NestingError } from '@/server/codec/document-nesting';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { parseJson, parseYaml } from '@/server/codec/input/parse-notation';

const cluster = '"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a"';

/** Objects nested `levels` deep. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

describe('assertJsonNesting()', () => {
  it.each([
    ['500 objects', nested(500)],
    ['500 lists', '['.repeat(500) + ']'.repeat(500)],
    ['brackets within strings', JSON.stringify({ a: '['.repeat(5_000), b: '\\"['.repeat(5_000) })],
    ['many adjacent objects', `[${'[],'.repeat(5_000)}[]]`],
    ['an unterminated string', '"['],
    ['an object of 100,000 members', `{${'"a":1,'.repeat(99_999)}"a":1}`],
    ['a document of 800,000 members and items', `{"a":[${'1,'.repeat(799_998)}1]}`],
    ['empty objects and lists', `[${'{ }, [\n],'.repeat(200_000)}1]`],
  ])('passes %s', (_, text) => {
    expect(() => assertJsonNesting(text)).not.toThrow();
  });

  it.each([
    ['501 objects', nested(501)],
    ['unclosed lists', '['.repeat(501)],
    ['an object of 100,001 members', `{${'"a":1,'.repeat(100_000)}"a":1}`],
    ['a document of 800,001 members and items', `{"a":[${'1,'.repeat(799_999)}1]}`],
    ['a truncated object', `{"a":{${'"a":1,'.repeat(100_000)}`],
  ])('rejects %s', (_, text) => {
    expect(() => assertJsonNesting(text)).toThrow(NestingError);
  });
});

describe('an exceeded limit states the expected and the actual number', () => {
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

describe('parsing an object of many members', () => {
  const json = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  const yaml = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('');
  const tooManyMembers = 'expected at most 100000 members in an object, got 100001';

  it.each([
    [parseJson, json(1_000_000), 'expected at most 100000 members in an object, got 1000000'],
    [parseYaml, yaml(100_001), tooManyMembers],
    [parseYaml, json(100_001), tooManyMembers],
    [parseYaml, `a:\n  - ${yaml(100_001).replaceAll('\n', '\n    ')}`, tooManyMembers],
    [
      parseYaml,
      `l:\n${'- a: 1\n  b: {c: 1}\n'.repeat(38_000)}`,
      'expected at most 150000 members in a document, got 152001',
    ],
    [parseYaml, `[[${'1,'.repeat(150_000)}1]]`, 'expected at most 150000 members in a document, got 150002'],
    [
      parseYaml,
      `l:\n${'- - 1\n'.repeat(75_000)}`,
      'expected at most 150000 members in a document, got 150001',
    ],
    [
      parseYaml,
      `a: &a\n${yaml(1_000).replaceAll(/^/gm, '  ').trimEnd()}\nl:\n${'- *a\n'.repeat(900)}`,
      'expected at most 800000 members in a document, got 901902',
    ],
    [parseYaml, 'a: 1\nb: {c: 1, d: 2, c: 3}\n', 'no YAML: it stops at line 2, column 17'],
  ])(
    '%o rejects %.20s within seconds',
    (parse, text, reason) => {
      expect(parse(text)).toMatchObject({ ok: false, reason });
    },
    30_000,
  );

  it.each([
    `a: "{"\nb: |\n${'  x, y\n'.repeat(100_001)}`,
    // 100,000 members in the object, and 149,996 in the document.
    `${yaml(99_999)}l:\n${'- a: 1\n  b: {c: 1}\n'.repeat(12_499)}`,
  ])(
    'parseYaml() accepts %.20s within seconds',
    (text) => {
      expect(parseYaml(text).ok).toBe(true);
    },
    30_000,
  );
});

describe('assertBlockNesting()', () => {
  it.each([
    ['500 levels of indentation', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['a long list', '- a: [1, 2]\n'.repeat(5_000)],
    ['alternating levels', 'a:\n  b:\n    c: 1\n'.repeat(5_000)],
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

describe('planReport() of a document nested a hundred thousand levels deep', () => {
  const levels = 100_000;
  it.each([
    ['JSON', `{${cluster},"metadata":${nested(levels)}}`, /500 levels/],
    ['an envelope', `{"typeUrl":"x","resource":${nested(levels)}}`, /500 levels/],
    ['lists', '['.repeat(levels) + ']'.repeat(levels), /20 levels/],
    ['YAML', `${'- '.repeat(levels)}a`, /500 levels/],
    ['unclosed brackets', '['.repeat(levels), /20 levels/],
    ["protobuf's text format", 'a { '.repeat(levels), /levels|fields/],
  ])('reports the limit: %s', (_, text, reason) => {
    const { reports, problems } = planReport(Buffer.from(text));
    const found = reports.flatMap((report) => report.elements()).flatMap((each) => each.read().problems);
    expect([...problems, ...found][0]?.reason).toMatch(reason);
  });
});
