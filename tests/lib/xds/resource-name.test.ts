import { describe, expect, it } from 'vitest';
import {
  formatResourceName,
  normaliseResourceName,
  parseResourceName,
  parseResourceNameOf,
} from '@/lib/xds/resource-name';
import { CDS, LDS } from '@/lib/xds/resource-type';

const listener = 'envoy.config.listener.v3.Listener';

describe('parseResourceName', () => {
  it.each(['', 'foo', 'xdstp', 'http://a/b', 'XDSTP://a/t/i', 'outbound|80||x.svc'])(
    'reads %j as an old-style name',
    (text) => {
      expect(parseResourceName(text)).toEqual({ ok: true, name: { kind: 'old-style', name: text } });
    },
  );

  it('returns the parts of an xdstp name', () => {
    const parsed = parseResourceName('xdstp://auth.example:1/a.T/x/y%2Fz?b=2&a=%26&b=3#alt=q,entry=1');
    expect(parsed).toEqual({
      ok: true,
      name: {
        kind: 'xdstp',
        authority: 'auth.example:1',
        type: 'a.T',
        id: 'x/y/z',
        contextParams: new Map([
          ['a', '&'],
          ['b', '3'],
        ]),
        directives: 'alt=q,entry=1',
      },
    });
  });

  it.each([
    ['xdstp:', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp:"'],
    ['xdstp://a', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp://a"'],
    ['xdstp://a/t', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp://a/t"'],
    ['xdstp://a/t/', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp://a/t/"'],
    ['xdstp://a//i', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp://a//i"'],
    ['xdstp:t/i', 'expected xdstp://AUTHORITY/TYPE/ID, got "xdstp:t/i"'],
    ['xdstp://a/t/i?k', 'expected KEY=VALUE after "?" and after each "&", got "xdstp://a/t/i?k"'],
    ['xdstp://a/t/i?=v', 'expected KEY=VALUE after "?" and after each "&", got "xdstp://a/t/i?=v"'],
    ['xdstp://a/t/i?a=b&', 'expected KEY=VALUE after "?" and after each "&", got "xdstp://a/t/i?a=b&"'],
    [
      'xdstp://a/t/%zz',
      'expected two hexadecimal digits after each "%", which make UTF-8, got "xdstp://a/t/%zz"',
    ],
    [
      'xdstp://a/t/i?k=%FF',
      'expected two hexadecimal digits after each "%", which make UTF-8, got "xdstp://a/t/i?k=%FF"',
    ],
  ])('rejects %s with the expected form', (text, message) => {
    expect(parseResourceName(text)).toEqual({ ok: false, message });
  });

  it('quotes only the beginning of a name of 1 MB', () => {
    const parsed = parseResourceName(`xdstp://${'a'.repeat(2 ** 20)}`);
    expect(!parsed.ok && parsed.message.length).toBeLessThan(300);
  });
});

describe('parseResourceNameOf', () => {
  it('requires the type of the resource in the name', () => {
    expect(parseResourceNameOf(LDS.typeUrl, `xdstp://a/${listener}/i`).ok).toBe(true);
    expect(parseResourceNameOf(listener, `xdstp://a/${listener}/i`).ok).toBe(true);
    expect(parseResourceNameOf(CDS.typeUrl, 'any|name').ok).toBe(true);
    expect(parseResourceNameOf(CDS.typeUrl, `xdstp://a/${listener}/i`)).toEqual({
      ok: false,
      message: `expected the type envoy.config.cluster.v3.Cluster in the resource name, got "xdstp://a/${listener}/i"`,
    });
  });
});

describe('normaliseResourceName', () => {
  it.each([
    ['foo?b=1&a=2', 'foo?b=1&a=2'],
    ['xdstp://a/t/i', 'xdstp://a/t/i'],
    ['xdstp:/t/i', 'xdstp:///t/i'],
    ['xdstp:///t/i', 'xdstp:///t/i'],
    ['xdstp://a/t/i?b=2&a=1', 'xdstp://a/t/i?a=1&b=2'],
    ['xdstp://a/t/i?a=1&a=0', 'xdstp://a/t/i?a=0'],
    ['xdstp://a/t/i?', 'xdstp://a/t/i'],
    ['xdstp://a/t/i?k=', 'xdstp://a/t/i?k='],
    ['xdstp://a/t/%61%2fb', 'xdstp://a/t/a/b'],
    ['xdstp://a/t/a b', 'xdstp://a/t/a%20b'],
    ['xdstp://a/t/%25%20', 'xdstp://a/t/%25%20'],
    ['xdstp://a/t/%c3%a9', 'xdstp://a/t/%C3%A9'],
    ['xdstp://a/t/é', 'xdstp://a/t/%C3%A9'],
    ['xdstp://a/t/i%3fk%3dv', 'xdstp://a/t/i%3Fk=v'],
    ['xdstp://a/t/i?k=%26%3D%2B', 'xdstp://a/t/i?k=%26%3D%2B'],
    ['xdstp://a/t/i?k=a=b', 'xdstp://a/t/i?k=a%3Db'],
    ['xdstp://a/t/i#alt=x', 'xdstp://a/t/i'],
    ['xdstp://a/t', 'xdstp://a/t'],
    ['xdstp://a/t/\ud800', 'xdstp://a/t/%EF%BF%BD'],
  ])('%s -> %s, which does not change again', (text, expected) => {
    expect(normaliseResourceName(text)).toBe(expected);
    expect(normaliseResourceName(expected)).toBe(expected);
  });

  it('is parsed as the same name', () => {
    const text = 'xdstp://a%2Fb/t/i%3F%23?k%3D=%25&%26=x';
    const parsed = parseResourceName(text);
    if (!parsed.ok) throw new Error(parsed.message);
    expect(parseResourceName(formatResourceName(parsed.name))).toEqual(parsed);
  });
});
