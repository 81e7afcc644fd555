import { describe, expect, it } from 'vitest';
import { findNamedByConnection, upgradeOf } from '@/lib/explain/connection-header';
import type { ExplainRequest } from '@/lib/requests/request';

function requestOf(...headers: ExplainRequest['headers']): ExplainRequest {
  return { method: 'GET', scheme: 'http', authority: 'a', path: '/', headers };
}

function removedBy(...values: readonly string[]): string[] | string {
  const named = findNamedByConnection(requestOf(...values.map((value) => ['Connection', value] as const)));
  return named.kind === 'rejected' ? named.text : [...named.names];
}

// Measured with Envoy 1.40.0.
describe('the header connection', () => {
  it.each([
    [['x-color'], ['x-color']],
    [['X-Color'], ['x-color']],
    [[',, x-color ,,'], ['x-color']],
    [['close, x-color'], ['x-color']],
    [['close', 'x-color'], ['x-color']],
    [['upgrade, x-color'], ['x-color']],
    [['x-forwarded-foo, x-envoy-foo'], ['x-forwarded-foo', 'x-envoy-foo']],
    [['keep-alive, te, HTTP2-Settings'], []],
    [[''], []],
  ])('with the values %j removes the headers %j', (values, removed) => {
    expect(removedBy(...values)).toEqual(removed);
  });

  it.each(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', ':path', ':foo', 'host'])(
    'that names %s is rejected',
    (name) => expect(removedBy(`x-color, ${name}`)).toContain(`names ${name}, and is rejected with 400`),
  );

  it('names nine headers at most', () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`).join(',');
    expect(removedBy(names(9))).toHaveLength(9);
    expect(removedBy(names(10))).toContain('rejected');
  });

  it('that names te leaves it, unless it is long', () => {
    const named = (te: string) => findNamedByConnection(requestOf(['connection', 'te'], ['te', te])).kind;
    expect([named('x'.repeat(256)), named('x'.repeat(257))]).toEqual(['removed', 'rejected']);
  });

  it('removes nothing of an upgrade, which h2c is not', () => {
    const upgrade = (type: string) => requestOf(['connection', 'upgrade, x-color'], ['upgrade', type]);
    expect(upgradeOf(upgrade('websocket'))).toBe('websocket');
    expect(findNamedByConnection(upgrade('websocket'))).toEqual({ kind: 'removed', names: new Set() });
    expect(upgradeOf(upgrade('h2c'))).toBeUndefined();
    expect(findNamedByConnection(upgrade('h2c'))).toEqual({ kind: 'removed', names: new Set(['x-color']) });
    expect(upgradeOf(requestOf(['connection', 'x-color'], ['upgrade', 'websocket']))).toBeUndefined();
    expect(upgradeOf({ ...upgrade('websocket'), method: 'CONNECT' })).toBe('websocket');
    expect(upgradeOf({ ...upgrade('h2c'), method: 'CONNECT' })).toBe('CONNECT');
  });
});
