import { describe, expect, it } from 'vitest';
import { selectVirtualHost } from '@/lib/resolve/select-virtual-host';
import { type Client, clients, newestOf } from '@/lib/xds/profile';

/** Returns the chosen domain or "none". Each text "a,b" is a virtual host with these domains. */
function choose(hosts: readonly string[], authority: string, client: Client): string {
  const domains = hosts.map((text) => ({ domains: text.split(',') }));
  const choice = selectVirtualHost(domains, authority, newestOf(client));
  return choice.kind === 'found' ? `${choice.index} ${choice.domain}` : 'none';
}

describe('selectVirtualHost', () => {
  const hosts = ['*', '*.foo.com', 'foo.*', 'foo.com'];

  it.each([
    ['foo.com', '3 foo.com'],
    ['a.foo.com', '1 *.foo.com'],
    ['foo.bar', '2 foo.*'],
    ['x', '0 *'],
  ])('selects for %s the domain %s for every client', (authority, expected) => {
    for (const client of clients)
      expect([client, choose(hosts, authority, client)]).toEqual([client, expected]);
  });

  const all = (expected: string): Record<Client, string> => ({
    core: expected,
    go: expected,
    java: expected,
    node: expected,
    envoy: expected,
  });
  const cases: [string, string[], string, Record<Client, string>][] = [
    [
      'minds the case in Go and Node alone',
      ['Foo.com'],
      'foo.COM',
      { ...all('0 Foo.com'), go: 'none', node: 'none' },
    ],
    [
      'lets "*" stand for nothing in Go and Node alone',
      ['*.foo.com'],
      '.foo.com',
      { ...all('none'), go: '0 *.foo.com', node: '0 *.foo.com' },
    ],
    [
      'lets a prefix end with nothing in Go and Node alone',
      ['foo.*'],
      'foo.',
      { ...all('none'), go: '0 foo.*', node: '0 foo.*' },
    ],
    [
      'prefers a suffix to a longer prefix, but for Java',
      ['a.b.c.*', '*.d'],
      'a.b.c.x.d',
      { ...all('1 *.d'), java: '0 a.b.c.*' },
    ],
    ['prefers a suffix to a prefix of the same length, Java too', ['a.b*', '*.cd'], 'a.b.cd', all('1 *.cd')],
    ['prefers the longer pattern within a class', ['*.com', '*.foo.com'], 'a.foo.com', all('1 *.foo.com')],
    ['takes the first of equals', ['foo.com', 'foo.com'], 'foo.com', all('0 foo.com')],
    ['finds the second domain of a virtual host', ['a,b', 'c'], 'b', all('0 b')],
    [
      'finds none in Go when any pattern is invalid',
      ['foo.com', 'a*b'],
      'foo.com',
      { ...all('0 foo.com'), go: 'none' },
    ],
    ['compares "a*b" as a whole in Envoy', ['a*b'], 'a*b', { ...all('none'), envoy: '0 a*b' }],
    ['finds none when none matches', ['foo.com'], 'bar.com', all('none')],
    ['minds the port, which is part of the authority', ['foo.com'], 'foo.com:443', all('none')],
  ];
  it.each(cases)('%s', (_, given, authority, expected) => {
    for (const client of clients) {
      expect([client, choose(given, authority, client)]).toEqual([client, expected[client]]);
    }
  });

  it('returns the reason if there is none', () => {
    expect(selectVirtualHost([{ domains: ['a'] }], 'b', 'core-1.56')).toEqual({
      kind: 'none',
      reason: 'no virtual host has a domain that matches "b"',
    });
    expect(selectVirtualHost([{ domains: [''] }], 'b', 'go-1.73')).toEqual({
      kind: 'none',
      reason: 'the domain "" is invalid: Go finds no virtual host at all',
    });
  });
});
