import { describe, expect, it } from 'vitest';
import type { LoadPart, LoadScope } from '@/lib/load/load-series';
import { LoadNames } from '@/server/live/load/load-names';

function scopeOf(clusterName: string, clientId = 'a'): LoadScope {
  return {
    ...{ sourceId: 'lrs', vantage: 'lrs', clientId, clusterName, clusterServiceName: '' },
    ...{ stream: 0, isTimed: true },
  };
}

describe('LoadNames', () => {
  const cluster: LoadPart = { kind: 'cluster' };
  const endpoint = (address: string): LoadPart => ({
    ...{ kind: 'endpoint', locality: { region: '', zone: '', subZone: '' }, priority: 0, address },
  });

  it('numbers series up to the limits, in total and per client, and finds those that it numbered', () => {
    const names = new LoadNames(5, 3);
    const idOf = (clusterName: string, clientId?: string, part = cluster) => {
      const scope = scopeOf(clusterName, clientId);
      return names.idOf(names.streamOf(scope), scope, part);
    };
    expect(['x', 'y', 'z', 'v', 'x'].map((name) => idOf(name))).toEqual([1, 2, 3, undefined, 1]);
    expect(['x', 'y', 'z'].map((name) => idOf(name, 'b'))).toEqual([4, 5, undefined]);
    expect(idOf('x', 'c')).toBeUndefined();
    expect(names.takeNew()).toHaveLength(5);
  });

  it('numbers no address or metric whose name is too long', () => {
    const names = new LoadNames(10);
    const scope = scopeOf('x');
    const stream = names.streamOf(scope);
    expect(names.idOf(stream, scope, endpoint('10.0.0.1:80'))).toBe(1);
    expect(names.idOf(stream, scope, endpoint(`unix:${'x'.repeat(2_000)}`))).toBeUndefined();
  });

  it('counts the series of a client after a restart', () => {
    const names = new LoadNames(10, 2);
    names.restore([
      { id: 7, series: { scope: scopeOf('x'), part: cluster } },
      { id: 8, series: { scope: scopeOf('y'), part: cluster } },
    ]);
    const scope = scopeOf('z');
    expect(names.idOf(names.streamOf(scope), scope, cluster)).toBeUndefined();
    expect(names.idOf(names.streamOf(scopeOf('y')), scopeOf('y'), cluster)).toBe(8);
    expect(names.idOf(names.streamOf(scopeOf('x', 'b')), scopeOf('x', 'b'), cluster)).toBe(9);
  });
});
