import { describe, expect, it } from 'vitest';
import type { Client, Profile } from '@/lib/xds/profile';
import { requestOf, verdictOf } from './matched-requests';

type Row = readonly [matcher: object, headers: readonly string[], holds: boolean];

const text = (stringMatch: object, more: object = {}) => ({ stringMatch, ...more });
const range = (start: number, end: number, more: object = {}) => ({
  rangeMatch: { start: String(start), end: String(end) },
  ...more,
});
const inverted = { invertMatch: true };
const asEmpty = { treatMissingHeaderAsEmpty: true };

function verdictFor(matcher: object, headers: readonly string[], of: Client | Profile = 'envoy'): string {
  const match = { prefix: '', headers: [{ name: 'x', ...matcher }] };
  return verdictOf(match, requestOf('GET shop.example/', ...headers), of);
}

const groups: readonly [sentence: string, rows: readonly Row[]][] = [
  [
    'string_match: header match will be performed based on the string match of the header value',
    [
      [text({ exact: 'abc' }), ['x: abc'], true],
      [text({ exact: 'abc' }), ['x: abcd'], false],
      [text({ exact: 'abc' }), ['x: ABC'], false],
      [text({ exact: 'abc', ignoreCase: true }), ['x: ABC'], true],
      [text({ prefix: 'abc' }), ['x: abc.xyz'], true],
      [text({ prefix: 'abc' }), ['x: xyzabc'], false],
      [text({ prefix: 'abc', ignoreCase: true }), ['x: ABCd'], true],
      [text({ suffix: 'abc' }), ['x: xyz.abc'], true],
      [text({ suffix: 'abc' }), ['x: abcx'], false],
      [text({ contains: 'abc' }), ['x: xyz.abc.def'], true],
      [text({ contains: 'abc' }), ['x: xyz.def'], false],
      [text({ safeRegex: { regex: '\\d{3}' } }), ['x: 123'], true],
      [text({ safeRegex: { regex: '\\d{3}' } }), ['x: 1234'], false],
      [text({ safeRegex: { regex: 'a|b' } }), ['x: b'], true],
      [text({ safeRegex: { regex: 'a|b' } }), ['x: ab'], false],
      [text({ safeRegex: { regex: 'abc' }, ignoreCase: true }), ['x: ABC'], false],
      [text({ exact: '' }), ['x: '], true],
      [text({ exact: 'abc' }), ['X: abc'], true],
    ],
  ],
  [
    'the deprecated specifiers match as their forms in string_match do',
    [
      [{ exactMatch: 'abc' }, ['x: abc'], true],
      [{ exactMatch: 'abc' }, ['x: ab'], false],
      [{ prefixMatch: 'ab' }, ['x: abc'], true],
      [{ suffixMatch: 'bc' }, ['x: abc'], true],
      [{ containsMatch: 'b' }, ['x: abc'], true],
      [{ containsMatch: 'x' }, ['x: abc'], false],
      [{ safeRegexMatch: { regex: 'a.c' } }, ['x: abc'], true],
      [{ safeRegexMatch: { regex: 'a' } }, ['x: abc'], false],
    ],
  ],
  [
    'range_match: the entire request header value must represent an integer in base 10 notation; the range is [start, end)',
    [
      [range(-10, 0), ['x: -1'], true],
      [range(-10, 0), ['x: 0'], false],
      [range(-10, 0), ['x: -10'], true],
      [range(-10, 0), ['x: somestring'], false],
      [range(-10, 0), ['x: 10.9'], false],
      [range(-10, 0), ['x: -1somestring'], false],
      [range(0, 10), ['x: 007'], true],
      [range(0, 10), ['x: 10'], false],
      [range(0, 10), ['x: '], false],
      [range(0, 10), ['x: 99999999999999999999'], false],
    ],
  ],
  [
    'present_match: if true, match on presence; if false, on absence. Without a specifier, presence is matched',
    [
      [{ presentMatch: true }, ['x: 1'], true],
      [{ presentMatch: true }, [], false],
      [{ presentMatch: false }, ['x: 1'], false],
      [{ presentMatch: false }, [], true],
      [{ presentMatch: true, ...inverted }, [], true],
      [{ presentMatch: true, ...inverted }, ['x: 1'], false],
      [{ presentMatch: false, ...inverted }, ['x: 1'], true],
      [{}, ['x: '], true],
      [{}, [], false],
      [{ ...inverted }, [], true],
    ],
  ],
  [
    'invert_match: the match result will be inverted before checking; a header that is absent does not match',
    [
      [text({ safeRegex: { regex: '\\d{3}' } }, inverted), ['x: 1234'], true],
      [range(-10, 0, inverted), ['x: -1'], false],
      [range(-10, 0, inverted), ['x: text'], true],
      [text({ exact: 'a' }, inverted), ['x: b'], true],
      [text({ exact: 'a' }, inverted), ['x: a'], false],
      [text({ exact: 'a' }, inverted), [], false],
      [text({ exact: 'a' }), [], false],
    ],
  ],
  [
    'treat_missing_header_as_empty: if the header does not exist, this header value will be treated as empty',
    [
      [range(0, 10, { ...inverted, ...asEmpty }), [], true],
      [text({ exact: '' }, asEmpty), [], true],
      [text({ exact: 'a' }, asEmpty), [], false],
      [text({ exact: 'a' }, { ...inverted, ...asEmpty }), [], true],
      [{ presentMatch: true, ...asEmpty }, [], true],
    ],
  ],
  [
    'of several values of one name, one must match (measured: Envoy 1.40.0)',
    [
      [text({ exact: 'b' }), ['x: a', 'x: b'], true],
      [text({ exact: 'a,b' }), ['x: a', 'x: b'], false],
      [text({ exact: 'a,b' }), ['x: a,b'], true],
      [text({ exact: 'b' }, inverted), ['x: a', 'x: b'], false],
      [text({ exact: 'c' }, inverted), ['x: a', 'x: b'], true],
      [range(1, 2), ['x: 1', 'x: 5'], true],
    ],
  ],
];

describe('a header matcher', () => {
  for (const [sentence, rows] of groups)
    it.each(rows)(`${sentence}: %o, %o`, (matcher, headers, holds) => {
      expect(verdictFor(matcher, headers)).toMatch(holds ? /^match$/ : /^no-match: header x /);
    });

  it('reads the parts of the request as headers with a colon', () => {
    const of = (name: string, exact: string) =>
      verdictOf({ prefix: '', headers: [{ name, ...text({ exact }) }] }, requestOf('PUT a.b:80/c?d'));
    expect(of(':method', 'PUT')).toBe('match');
    expect(of(':authority', 'a.b:80')).toBe('match');
    expect(of('host', 'a.b:80')).toBe('match');
    expect(of(':path', '/c?d')).toBe('match');
    expect(of(':scheme', 'http')).toBe('match');
    expect(of(':method', 'GET')).toBe('no-match: header :method is "PUT", and must be "GET"');
  });

  it('depends on the headers that Envoy itself sets', () => {
    const match = { prefix: '', headers: [{ name: 'x-request-id', presentMatch: true }] };
    expect(verdictOf(match, requestOf('GET a/'))).toBe(
      'depends: Envoy itself sets or removes the header x-request-id',
    );
  });

  it('names the value and what it must be', () => {
    expect(verdictFor(range(0, 10), ['x: 12'])).toBe(
      'no-match: header x is "12", and must be an integer from 0 to 9',
    );
    expect(verdictFor(text({ exact: 'blue' }), [])).toBe(
      'no-match: header x is absent, and its value must be "blue"',
    );
    expect(verdictFor(text({ prefix: 'blue', ignoreCase: true }, inverted), ['x: BLUE1'])).toBe(
      'no-match: header x is "BLUE1", and must not begin with "blue" in any case',
    );
    expect(verdictFor({ presentMatch: false }, ['x: 1'])).toBe(
      'no-match: header x must be absent, and the request has it',
    );
  });
});

describe('a header matcher in clients that differ', () => {
  const rows: readonly [
    sentence: string,
    matcher: object,
    headers: readonly string[],
    holds: Readonly<Partial<Record<Client | Profile, boolean>>>,
  ][] = [
    [
      'Envoy 1.36 matches all values of a name joined by ",", as gRPC does',
      text({ exact: 'a,b' }),
      ['x: a', 'x: b'],
      { 'envoy-1.36': true, 'envoy-1.37': false, core: true, go: true, java: true, node: true },
    ],
    [
      'Java includes the end of a range',
      range(0, 10),
      ['x: 10'],
      { envoy: false, core: false, go: false, java: true, node: false },
    ],
    [
      'Node inverts the result of a header that is absent',
      { exactMatch: 'a', ...inverted },
      [],
      { envoy: false, core: false, go: false, java: false, node: true },
    ],
    [
      'Node does not read present_match: false',
      { presentMatch: false },
      ['x: 1'],
      { envoy: false, core: false, go: false, java: false, node: true },
    ],
    [
      'gRPC does not read treat_missing_header_as_empty',
      text({ exact: '' }, asEmpty),
      [],
      { envoy: true, core: false, go: false, java: false },
    ],
  ];
  it.each(rows)('%s', (_, matcher, headers, holds) => {
    for (const [of, expected] of Object.entries(holds))
      expect([of, verdictFor(matcher, headers, of as Client) === 'match']).toEqual([of, expected]);
  });

  it('never sees binary metadata, pseudo headers and the headers of gRPC itself', () => {
    for (const name of ['data-bin', ':path', ':authority', 'grpc-timeout', 'te', 'user-agent']) {
      const match = { prefix: '', headers: [{ name, presentMatch: true }] };
      expect([name, verdictOf(match, requestOf('POST a/b', `${name}: 1`), 'go')]).toEqual([
        name,
        `no-match: header ${name} must be present, and the request does not have it`,
      ]);
    }
  });

  it.each([
    ['trailers', true],
    ['gzip, Trailers', true],
    ['gzip', false],
  ])('sees te: %s in Envoy only with trailers', (te, isSeen) => {
    const match = { prefix: '', headers: [{ name: 'te', exactMatch: 'trailers' }] };
    expect(verdictOf(match, requestOf('GET a/', `te: ${te}`), 'envoy') === 'match').toBe(isSeen);
  });

  it('sees content-type, but in gRPC-Go', () => {
    const type = { prefix: '', headers: [{ name: 'content-type', exactMatch: 'application/grpc' }] };
    for (const client of ['core', 'java', 'node'] as const)
      expect([client, verdictOf(type, requestOf('POST a/b'), client)]).toEqual([client, 'match']);
    expect(verdictOf(type, requestOf('POST a/b'), 'go')).toMatch(/^no-match: header content-type is absent/);
  });

  it('sees :path and grpc-timeout in C-core', () => {
    const path = { prefix: '', headers: [{ name: ':path', exactMatch: '/b' }] };
    expect(verdictOf(path, requestOf('POST a/b'), 'core')).toBe('match');
    const timeout = { prefix: '', headers: [{ name: 'grpc-timeout', presentMatch: true }] };
    expect(verdictOf(timeout, requestOf('POST a/b', 'grpc-timeout: 1S'), 'core')).toBe('match');
    expect(verdictOf(timeout, requestOf('POST a/b'), 'core')).toBe(
      'depends: the deadline of the RPC sets the header grpc-timeout',
    );
  });
});
