import { describe, expect, it } from 'vitest';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { findSameImport } from '@/lib/views/sources/find-same-import';

function done(label: string, sizeBytes: number, over: Partial<FileImport> = {}): FileImport {
  return {
    ...{ id: label, label, sizeBytes, state: 'done', progress: { done: sizeBytes, total: sizeBytes } },
    ...{ what: 'Envoy config dump', clients: 1, clientIds: ['c'], resources: 1, problems: 0, reason: '' },
    ...{ startedAt: Date.parse('2026-01-02T03:04:05Z'), endedAt: Date.parse('2026-01-02T03:04:06Z') },
    ...over,
  };
}

describe('findSameImport', () => {
  const file = { name: 'dump.json', size: 100 };

  it('finds the newest import of the name and the size, also if its name is numbered', () => {
    const second = done('dump.json (2)', 100, { startedAt: Date.parse('2026-01-02T04:00:00Z') });
    expect(findSameImport(file, [done('dump.json', 100), second])).toBe(second);
  });

  it('finds an import that is still running', () => {
    expect(findSameImport(file, [done('dump.json', 100, { state: 'reading' })])).toBeDefined();
  });

  it.each([
    ['another size', done('dump.json', 101)],
    ['another name', done('other.json', 100)],
    ['a name that only begins alike', done('dump.json (old)', 100)],
    ['a failed import', done('dump.json', 100, { state: 'failed' })],
    ['a canceled import', done('dump.json', 100, { state: 'canceled' })],
  ])('does not take %s for it', (_title, item) => {
    expect(findSameImport(file, [item])).toBeUndefined();
  });
});
