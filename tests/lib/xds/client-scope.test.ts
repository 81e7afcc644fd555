import { describe, expect, it } from 'vitest';
import { hasStreamPerTarget, isProbeScope, scopeOfListeners, scopeOfProbe } from '@/lib/xds/client-scope';

describe('hasStreamPerTarget()', () => {
  it.each([
    ['gRPC Go', '1.85.0', true],
    ['gRPC Go', '1.66.0', true],
    ['gRPC Go', '1.64.1', false],
    ['gRPC Java', '1.85.1', true],
    ['gRPC Java', '1.60.1', false],
    ['gRPC C-core linux Python', 'C-core 58.0.0 Python 1.85.1', true],
    ['gRPC C-core linux Python', 'C-core 43.0.0 Python 1.66.2', true],
    ['gRPC C-core linux Python', 'C-core 29.0.0 Python 1.51.1', false],
    ['gRPC Node Pure JS', '1.14.1', false],
    ['envoy', '1.40.0', false],
    ['gRPC Go', '', false],
  ])('%s %s: %s', (userAgentName, userAgentVersion, expected) => {
    expect(hasStreamPerTarget({ userAgentName, userAgentVersion })).toBe(expected);
  });
});

describe('scopeOfListeners()', () => {
  it.each([
    [['cart'], 'cart'],
    [['cart:8080'], 'cart:8080'],
    [['10.0.0.1:8080'], '10.0.0.1:8080'],
    [['grpc/server?xds.resource.listening_address=0.0.0.0:4400'], '#server'],
    [['a?x=0.0.0.0:4400', 'a?x=[::]:4401'], '#server'],
    [['xdstp://a/envoy.config.listener.v3.Listener/grpc/server/%5B::1%5D:4400'], '#server'],
    [['cart', 'checkout'], ''],
    [['cart', 'a?x=0.0.0.0:4400'], ''],
    [[], ''],
  ])('%j is %j', (names, expected) => {
    expect(scopeOfListeners(names)).toBe(expected);
  });
});

it('a probe has a scope of its own unless its node id shows that it is a probe', () => {
  expect(scopeOfProbe('xdscope-probe@a:1', 'ads:a:1')).toBe('');
  expect(scopeOfProbe('cart-1', 'ads:a:1')).toBe('#probe ads:a:1');
  expect(isProbeScope(scopeOfProbe('cart-1', 'ads:a:1'))).toBe(true);
  expect(isProbeScope('#server')).toBe(false);
});
