import { describe, expect, it } from 'vitest';
import { authorityOfListener, parseTarget } from '@/lib/resolve/parse-target';

describe('parseTarget', () => {
  const templates = {
    clientDefault: 'xdstp://top/envoy.config.listener.v3.Listener/%s',
    authorities: new Map([
      ['own', 'listeners/%s/%s'],
      ['bare', ''],
    ]),
  };

  it.each([
    ['xds:///shop', 'shop', 'shop'],
    ['xds:///shop:443', 'shop:443', 'shop:443'],
    ['xds:shop', 'shop', 'shop'],
    ['shop', 'shop', 'shop'],
    ['shop:443', 'shop:443', 'shop:443'],
    ['xds://auth/shop', 'xdstp://auth/envoy.config.listener.v3.Listener/shop', 'shop'],
  ])('%s watches the listener %s for the authority %s', (target, listener, authority) => {
    expect(parseTarget(target)).toEqual({ ok: true, listener, authority });
  });

  it.each([
    ['xds:///a b/c', 'xdstp://top/envoy.config.listener.v3.Listener/a%20b/c', 'a b/c'],
    ['xds://own/x', 'listeners/x/x', 'x'],
    ['xds://bare/x', 'xdstp://bare/envoy.config.listener.v3.Listener/x', 'x'],
  ])('%s follows the templates of the bootstrap to %s', (target, listener, authority) => {
    expect(parseTarget(target, templates)).toEqual({ ok: true, listener, authority });
  });

  it.each([
    ['dns:///shop', 'target "dns:///shop": expected xds:///NAME, got the scheme "dns"'],
    ['xds:///', 'target "xds:///": expected a name after xds:///, got nothing'],
    ['', 'target "": expected a name after xds:///, got nothing'],
  ])('refuses %j', (target, message) => {
    expect(parseTarget(target)).toEqual({ ok: false, message });
  });

  it('refuses an authority that the bootstrap does not have', () => {
    expect(parseTarget('xds://other/x', templates)).toEqual({
      ok: false,
      message: 'target "xds://other/x": the bootstrap has no authority "other"',
    });
  });

  it('takes names that no UTF-8 can say', () => {
    expect(parseTarget('xds:///\ud800', templates)).toMatchObject({ ok: true, authority: '\ud800' });
  });
});

describe('authorityOfListener', () => {
  it.each([
    ['shop', 'shop'],
    ['xdstp://a/envoy.config.listener.v3.Listener/x%20y?k=v', 'x y'],
    ['xdstp://a/T/%zz', '%zz'],
  ])('of %s is %s', (listener, authority) => {
    expect(authorityOfListener(listener)).toBe(authority);
  });
});
