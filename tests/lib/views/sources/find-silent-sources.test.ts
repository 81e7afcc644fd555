import { describe, expect, it } from 'vitest';
import { findSilentSources } from '@/lib/views/sources/find-silent-sources';
import type { Source } from '@/lib/views/sources/schema';

function source(label: string, change: Partial<Source> = {}): Source {
  return {
    id: `csds:${label}`,
    kind: 'csds',
    target: label,
    label,
    origin: 'flag',
    security: 'plain',
    paused: false,
    state: 'up',
    health: 'answers',
    notes: [],
    lastSuccessAt: Date.parse('2026-01-01T00:00:00.000Z'),
    answers: 1,
    failures: 0,
    clients: 1,
    ...change,
  };
}

describe('findSilentSources()', () => {
  it('is empty while all polled sources answer', () => {
    const sources = [source('a'), source('b', { state: 'paused', paused: true })];
    expect(findSilentSources(sources)).toEqual({ silent: [], down: 0, connecting: 0, total: 1 });
  });

  it('lists sources that do not answer, the one that answered last first', () => {
    const sources = [
      source('never', { state: 'down', lastSuccessAt: undefined }),
      source('early', { state: 'down' }),
      source('late', { state: 'down', lastSuccessAt: Date.parse('2026-01-01T00:05:00.000Z') }),
      source('fine'),
    ];
    const { silent, down, total } = findSilentSources(sources);
    expect(silent.map(({ label }) => label)).toEqual(['late', 'early', 'never']);
    expect([down, total]).toEqual([3, 4]);
  });

  it('counts the targets of a list', () => {
    const members = { total: 10, up: 6, down: 3, connecting: 0, paused: 1 };
    const found = findSilentSources([source('list', { kind: 'csds-list', members }), source('a')]);
    expect(found).toMatchObject({ silent: [{ members: { down: 3, total: 9 } }], down: 3, total: 10 });
  });

  it('counts sources that have not answered yet, and does not list them', () => {
    const members = { total: 3_000, up: 79, down: 0, connecting: 2_921, paused: 0 };
    const found = findSilentSources([
      source('list', { kind: 'csds-list', members }),
      source('a', { state: 'connecting' }),
    ]);
    expect(found).toEqual({ silent: [], down: 0, connecting: 2_922, total: 3_001 });
  });

  it('ignores sources that report no clients', () => {
    const sources = [
      source('file', { kind: 'file', state: 'down' }),
      source('lrs', { kind: 'lrs', state: 'down' }),
    ];
    expect(findSilentSources(sources)).toEqual({ silent: [], down: 0, connecting: 0, total: 0 });
  });
});
