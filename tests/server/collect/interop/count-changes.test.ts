import { describe, expect, it } from 'vitest';
import type { MethodCounts } from '@/lib/observation/test-client';
import { CountChanges } from '@/server/collect/interop/count-changes';

function counts(ok: number, unavailable = 0): MethodCounts[] {
  const ended = [
    { code: 0, count: ok },
    { code: 14, count: unavailable },
  ].filter(({ count }) => count > 0);
  return [{ method: 'UNARY_CALL', started: ok + unavailable, ended }];
}

describe('which polls report counts of RPCs', () => {
  it('reports the first counts, and those that grow as before every 10 s', () => {
    const changes = new CountChanges();
    const at = [0, 1, 2, 10, 11, 12, 13, 19, 21].map((s) => [s, changes.isNews(counts(100 * s), s * 1000)]);
    expect(at.filter(([, isNews]) => isNews).map(([s]) => s)).toEqual([0, 1, 11, 21]);
  });

  it('reports another status at once', () => {
    const changes = new CountChanges();
    for (const s of [0, 1]) changes.isNews(counts(100 * s), s * 1000);
    expect(changes.isNews(counts(200, 1), 2000)).toBe(true);
    expect(changes.isNews(counts(300, 2), 3000)).toBe(false);
  });

  it('reports once that nothing grows any longer', () => {
    const changes = new CountChanges();
    for (const s of [0, 1]) changes.isNews(counts(100 * s), s * 1000);
    const stopped = [5, 11, 12, 30].map((s) => changes.isNews(counts(100), s * 1000));
    expect(stopped).toEqual([false, true, false, false]);
  });

  it('reports counts that fell, because the client restarted', () => {
    const changes = new CountChanges();
    changes.isNews(counts(100), 0);
    expect(changes.isNews(counts(5), 1000)).toBe(true);
  });
});
