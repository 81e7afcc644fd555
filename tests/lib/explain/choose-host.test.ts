import { describe, expect, it } from 'vitest';
import { chooseHost } from '@/lib/explain/choose-host';
import { FieldReader } from '@/lib/model/field-reader';
import { headersOf } from '@/lib/requests/request';
import { type Client, newestOf } from '@/lib/xds/profile';
import { RDS } from '@/lib/xds/resource-type';
import { requestOf } from '../requests/matched-requests';

interface Case {
  readonly table?: object;
  readonly headers?: readonly string[];
  readonly client?: Client;
  /** The authority of the channel of a gRPC client. */
  readonly authority?: string;
}

/** Each text "a,b" is a virtual host with these domains, by which it is named. */
function choose(
  domains: readonly string[],
  host: string,
  { table = {}, headers = [], client = 'envoy', authority }: Case = {},
) {
  const request = { ...requestOf(`GET a/`, ...headers), authority: host };
  const profile = newestOf(client);
  return chooseHost({
    hosts: domains.map((text, index) => ({
      path: `virtualHosts[${index}]`,
      resource: { typeUrl: RDS.typeUrl, name: 'routes' },
      host: { name: text, domains: text.split(','), routes: [] },
    })),
    table: FieldReader.open(table, []),
    ...{ request, find: headersOf(request, profile), profile },
    ...(authority !== undefined && { authority }),
  });
}

function chosen(...input: Parameters<typeof choose>): string {
  const choice = choose(...input);
  return choice.kind === 'found' ? choice.host.host.name : choice.kind;
}

const groups: readonly [
  sentence: string,
  rows: readonly [domains: readonly string[], host: string, expected: string][],
][] = [
  [
    'exact domain names: www.foo.com',
    [
      [['*', 'www.foo.com'], 'www.foo.com', 'www.foo.com'],
      [['*', 'www.foo.com'], 'foo.com', '*'],
      [['www.foo.com'], 'WWW.Foo.com', 'www.foo.com'],
      [['WWW.foo.COM'], 'www.foo.com', 'WWW.foo.COM'],
      [['www.foo.com'], 'www.foo.com:80', 'none'],
      [['www.foo.com:80'], 'www.foo.com:80', 'www.foo.com:80'],
    ],
  ],
  [
    'suffix domain wildcards: *.foo.com or *-bar.foo.com; the wildcard does not match an empty string',
    [
      [['*.foo.com'], 'a.foo.com', '*.foo.com'],
      [['*.foo.com'], 'a.b.foo.com', '*.foo.com'],
      [['*.foo.com'], 'foo.com', 'none'],
      [['*.foo.com'], '.foo.com', 'none'],
      [['*-bar.foo.com'], 'baz-bar.foo.com', '*-bar.foo.com'],
      [['*-bar.foo.com'], '-bar.foo.com', 'none'],
    ],
  ],
  [
    'prefix domain wildcards: foo.* or foo-*',
    [
      [['foo.*'], 'foo.com', 'foo.*'],
      [['foo-*'], 'foo-bar', 'foo-*'],
      [['foo.*'], 'foo.', 'none'],
      [['foo.*'], 'a.foo.com', 'none'],
    ],
  ],
  [
    'search order: exact, suffix wildcards, prefix wildcards, and * last; longest wildcards match first',
    [
      [['*', 'a.*', '*.b', 'a.b'], 'a.b', 'a.b'],
      [['*', 'a.*', '*.b'], 'a.b', '*.b'],
      [['*', 'a.*'], 'a.b', 'a.*'],
      [['*'], 'a.b', '*'],
      [['*.com', '*.foo.com'], 'a.foo.com', '*.foo.com'],
      [['a.*', 'a.b.*'], 'a.b.c', 'a.b.*'],
      [['a.b.c.*', '*.d'], 'a.b.c.d', '*.d'],
    ],
  ],
];

describe('the virtual host of a request', () => {
  for (const [sentence, rows] of groups)
    it.each(rows)(`${sentence}: %o, %s`, (domains, host, expected) => {
      expect(chosen(domains, host)).toBe(expected);
    });

  it('is chosen without the port with ignore_port_in_host_matching', () => {
    expect(chosen(['a.b'], 'a.b:8080', { table: { ignorePortInHostMatching: true } })).toBe('a.b');
    expect(chosen(['a.b:8080'], 'a.b:8080', { table: { ignorePortInHostMatching: true } })).toBe('none');
  });

  it('is chosen by another header with vhost_header', () => {
    const table = { vhostHeader: 'x-host' };
    expect(chosen(['a', 'b'], 'a', { table, headers: ['x-host: b'] })).toBe('b');
    expect(choose(['a', 'b'], 'a', { table })).toEqual({
      kind: 'none',
      reason: 'header x-host chooses the virtual host, and the request does not have it',
    });
    expect(chosen(['*'], 'a', { table })).toBe('*');
  });

  it('is that of the channel in gRPC, whatever the authority of the RPC is', () => {
    expect(chosen(['a', 'b'], 'b', { client: 'go', authority: 'a' })).toBe('a');
    expect(chosen(['A'], 'a', { client: 'go' })).toBe('none');
    expect(chosen(['A'], 'a', { client: 'core' })).toBe('A');
  });

  it('is stated with its domain and with the one that would be used without it', () => {
    expect(choose(['*', '*.b', 'a.b'], 'a.b')).toMatchObject({
      reason: 'domain "a.b" is the most specific that matches authority "a.b"',
      next: {
        host: { path: 'virtualHosts[1]' },
        reason: 'domain "*.b" matches less specifically than "a.b"',
      },
    });
    expect(choose(['a.b'], 'a.b')).not.toHaveProperty('next');
    expect(choose(['x'], 'a.b')).toEqual({
      kind: 'none',
      reason: 'no virtual host has a domain that matches "a.b"',
    });
  });
});
