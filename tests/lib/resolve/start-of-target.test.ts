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
