import { describe, expect, it } from 'vitest';
import { requestOf, verdictOf } from './matched-requests';

type Row = readonly [match: object, request: readonly [line: string, ...headers: string[]], holds: boolean];

const prefix = '';
const query = (...queryParameters: object[]) => ({ prefix, queryParameters });
const cookie = (...cookies: object[]) => ({ prefix, cookies });
const text = (stringMatch: object) => ({ stringMatch });
const grpc = { prefix, grpc: {} };

const groups: readonly [sentence: string, rows: readonly Row[]][] = [
  [
    'query_parameters: all of them must match; a parameter without a specifier must be present',
    [
      [query({ name: 'a' }), ['GET x/?a=1'], true],
      [query({ name: 'a' }), ['GET x/?a'], true],
      [query({ name: 'a' }), ['GET x/?b=a'], false],
      [query({ name: 'a' }), ['GET x/'], false],
      [query({ name: 'a', presentMatch: true }), ['GET x/?a='], true],
      [query({ name: 'a', presentMatch: false }), ['GET x/?a='], false],
      [query({ name: 'a', presentMatch: false }), ['GET x/?b'], true],
      [query({ name: 'a', ...text({ exact: '1' }) }), ['GET x/?a=1'], true],
      [query({ name: 'a', ...text({ exact: '1' }) }), ['GET x/?a=2&a=1'], false],
      [query({ name: 'a', ...text({ exact: '1' }) }), ['GET x/?a=1&a=2'], true],
      [query({ name: 'a', ...text({ exact: 'b c' }) }), ['GET x/?a=b%20c'], false],
      [query({ name: 'a', ...text({ exact: 'b%20c' }) }), ['GET x/?a=b%20c'], true],
      [query({ name: 'a', ...text({ safeRegex: { regex: '\\d+' } }) }), ['GET x/?a=12'], true],
      [query({ name: 'a', ...text({ safeRegex: { regex: '\\d+' } }) }), ['GET x/?a=12b'], false],
      [query({ name: 'a', ...text({ exact: '' }) }), ['GET x/?a'], true],
      [query({ name: 'a', ...text({ exact: '' }) }), ['GET x/'], false],
      [query({ name: 'a' }, { name: 'b' }), ['GET x/?a=1'], false],
      [query({ name: 'a' }, { name: 'b' }), ['GET x/?b&a=1'], true],
      [query({ name: 'a', ...text({ exact: 'b=c' }) }), ['GET x/?a=b=c'], true],
    ],
  ],
  [
    'cookies: the value of the first cookie of the name must match',
    [
      [cookie({ name: 's', ...text({ exact: '1' }) }), ['GET x/', 'cookie: s=1'], true],
      [cookie({ name: 's', ...text({ exact: '1' }) }), ['GET x/', 'cookie: t=2; s=1'], true],
      [cookie({ name: 's', ...text({ exact: '1' }) }), ['GET x/', 'cookie: s=2; s=1'], false],
      [cookie({ name: 's', ...text({ exact: '1' }) }), ['GET x/'], false],
      [cookie({ name: 's', ...text({ exact: '1' }), invertMatch: true }), ['GET x/', 'cookie: s=2'], true],
      [cookie({ name: 's', ...text({ exact: '1' }), invertMatch: true }), ['GET x/', 'cookie: s=1'], false],
    ],
  ],
  [
    'grpc: only gRPC requests will be matched; the content-type must be application/grpc, or begin with application/grpc+',
    [
      [grpc, ['POST x/', 'content-type: application/grpc'], true],
      [grpc, ['POST x/', 'content-type: application/grpc+proto'], true],
      [grpc, ['POST x/', 'content-type: application/grpc-web'], false],
      [grpc, ['POST x/', 'content-type: text/plain'], false],
      [grpc, ['POST x/'], false],
    ],
  ],
  [
    'tls_context: presented and validated compare the client certificate; a request without TLS has none',
    [
      [{ prefix, tlsContext: { presented: true } }, ['GET http://x/'], false],
      [{ prefix, tlsContext: { presented: false } }, ['GET http://x/'], true],
      [{ prefix, tlsContext: { validated: true } }, ['GET http://x/'], false],
      [{ prefix, tlsContext: { presented: false, validated: true } }, ['GET http://x/'], false],
    ],
  ],
  [
    'runtime_fraction: 0% matches no request, 100% every request',
    [
      [{ prefix, runtimeFraction: { defaultValue: { numerator: 0 } } }, ['GET x/'], false],
      [{ prefix, runtimeFraction: { defaultValue: { numerator: 100 } } }, ['GET x/'], true],
      [
        { prefix, runtimeFraction: { defaultValue: { numerator: 10_000, denominator: 'TEN_THOUSAND' } } },
        ['GET x/'],
        true,
      ],
    ],
  ],
  [
    'all conditions of a match must hold',
    [
      [{ prefix: '/a', headers: [{ name: 'x' }] }, ['GET h/a', 'x: 1'], true],
      [{ prefix: '/a', headers: [{ name: 'x' }] }, ['GET h/b', 'x: 1'], false],
      [{ prefix: '/a', headers: [{ name: 'x' }] }, ['GET h/a'], false],
      [{ prefix: '/a', headers: [{ name: 'x' }, { name: 'y' }] }, ['GET h/a', 'x: 1'], false],
    ],
  ],
];

describe('the match of a route', () => {
  for (const [sentence, rows] of groups)
    it.each(rows)(`${sentence}: %o, %o`, (match, request, holds) => {
      expect(verdictOf(match, requestOf(...request))).toMatch(holds ? /^match$/ : /^no-match: /);
    });

  it.each([
    [
      { runtimeFraction: { defaultValue: { numerator: 30 } } },
      'it matches 30% of requests, chosen at random',
    ],
    [
      { runtimeFraction: { defaultValue: { numerator: 100 }, runtimeKey: 'k' } },
      'it matches a share of requests that runtime key "k" can set; the default is 100%',
    ],
    [{ dynamicMetadata: [{}] }, 'it depends on metadata that filters set'],
    [
      { filterState: [{}] },
      'it depends on the filter state of the connection and the request (filter_state)',
    ],
  ])('depends on what is not in the request: %o', (match, reason) => {
    expect(verdictOf({ prefix, ...match }, requestOf('GET x/'))).toBe(`depends: ${reason}`);
  });

  it('depends on the client certificate of a request with TLS', () => {
    expect(verdictOf({ prefix, tlsContext: { presented: true } }, requestOf('GET https://x/'))).toMatch(
      /^depends: it depends on the client certificate/,
    );
  });

  it('fails by a condition that fails for certain, whatever another one depends on', () => {
    const match = { prefix, dynamicMetadata: [{}], queryParameters: [{ name: 'a' }] };
    expect(verdictOf(match, requestOf('GET x/'))).toBe(
      'no-match: query parameter a must be present, and the request does not have it',
    );
  });

  it('ignores in gRPC what only Envoy reads', () => {
    const match = { prefix, grpc: {}, tlsContext: { presented: true }, dynamicMetadata: [{}], cookies: [{}] };
    for (const client of ['core', 'go', 'java', 'node'] as const)
      expect([client, verdictOf(match, requestOf('POST x/'), client)]).toEqual([client, 'match']);
    const keyed = { prefix, runtimeFraction: { defaultValue: { numerator: 0 }, runtimeKey: 'k' } };
    expect(verdictOf(keyed, requestOf('POST x/'), 'go')).toBe(
      'no-match: it matches 0% of requests (runtime_fraction)',
    );
  });
});
