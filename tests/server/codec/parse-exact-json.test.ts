import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExactJson } from '@/server/codec/parse-exact-json';
import '../../support/seeded-properties';

it.each<[string, unknown]>([
  ['18446744073709551615', 18446744073709551615n],
  ['[-9223372036854775808,1]', [-9223372036854775808n, 1]],
  ['{"a":9007199254740993}', { a: 9007199254740993n }],
  ['{"a": "9007199254740993", "b": 9007199254740991}', { a: '9007199254740993', b: 9007199254740991 }],
  ['["\\\\", 9007199254740993, "\\"", "0:1", "\\u0031:2"]', ['\\', 9007199254740993n, '"', '0:1', '1:2']],
  [
    '[12345678901234567890.5, 12345678901234567890e3]',
    [Number('12345678901234567890.5'), Number('12345678901234567890e3')],
  ],
])('parseExactJson: %s', (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

it('parseExactJson() throws the errors of JSON.parse()', () => {
  const text = '{"a": 9007199254740993, "b": }';
  const reason = (parse: (from: string) => unknown) => {
    try {
      parse(text);
    } catch (error) {
      return String(error);
    }
    return '';
  };
  expect(reason(parseExactJson)).toBe(reason(JSON.parse));
  expect(reason(parseExactJson)).not.toBe('');
});

it('parseExactJson() equals JSON.parse() for everything but large integers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = `[${JSON.stringify(value)}, 12345678901234567890]`;
      const [own] = JSON.parse(text) as unknown[];
      expect(parseExactJson(text)).toEqual([own, 12345678901234567890n]);
    }),
  );
});
