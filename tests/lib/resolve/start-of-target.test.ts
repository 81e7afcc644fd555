import { describe, expect, it } from 'vitest';
import { authorityOfListener, findStartOfTarget } from '@/lib/resolve/start-of-target';

describe('findStartOfTarget', () => {
  it.each([
    ['xds:///shop', 'shop', 'shop'],
    ['xds:///shop:443', 'shop:443', 'shop:443'],
    ['shop', 'shop', 'shop'],
    ['xds://auth/shop', 'xdstp://auth/envoy.config.listener.v3.Listener/shop', 'shop'],
    ['xds://%zz/shop', undefined, undefined],
    ['dns:///shop', undefined, undefined],
    ['xds:///', undefined, undefined],
  ])('%s starts at the listener %s with the authority %s', (target, listener, authority) => {
    expect(findStartOfTarget(target)).toMatchObject(
      listener === undefined ? { ok: false } : { ok: true, listener, authority },
    );
  });

  it('reports an invalid target', () => {
    expect(findStartOfTarget('dns:///shop')).toEqual({
      ok: false,
      message: 'target: expected xds:///NAME, xds://AUTHORITY/NAME or NAME, got "dns:///shop"',
    });
  });
});

describe('authorityOfListener', () => {
  it.each([
    ['shop', 'shop'],
    ['xdstp://a/envoy.config.listener.v3.Listener/x%20y?k=v', 'x y'],
    ['xdstp://a/T/%zz', 'xdstp://a/T/%zz'],
  ])('of %s is %s', (listener, authority) => {
    expect(authorityOfListener(listener)).toBe(authority);
  });
});

/** As measured with version 1.85 of each client, for the targets `xds://shop/a%25b`, `xds://shop/c%20d` and `xds:///e%25f`. */
it.each([
  ['Go', ['xds://shop/a%b', 'xds://shop/c d', 'xds:///e%f']],
  ['C-core', ['xds://shop/a%25b', 'xds://shop/c%20d', 'xds:/e%25f']],
  ['Java', ['xds://shop/a%25b', 'xds://shop/c%20d', 'xds:///e%25f']],
])('the scopes that %s reports for targets have the listeners of the targets', (_, scopes) => {
  const type = 'envoy.config.listener.v3.Listener';
  expect(scopes.map((scope) => findStartOfTarget(scope))).toMatchObject([
    { ok: true, listener: `xdstp://shop/${type}/a%25b`, authority: 'a%b' },
    { ok: true, listener: `xdstp://shop/${type}/c%20d`, authority: 'c d' },
    { ok: true, listener: 'e%f', authority: 'e%f' },
  ]);
});
