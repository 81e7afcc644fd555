import { expect, test } from 'vitest';
import { buildPlaces } from '@/lib/views/load/build-places';
import { buildReporters } from '@/lib/views/load/build-reporters';

const totals = (reported: Record<string, unknown> = {}) => ({
  ...{ reports: '3', intervalMs: 10_000, successful: '0', errors: '0', dropped: '0' },
  ...{ metricCount: '0', metricSum: 0, metricNotFinite: '0', lastAt: Date.parse('2026-01-01T00:00:50.000Z') },
  ...reported,
});
const place = (zone: string) => ({ region: '', zone, subZone: '' });

test('buildPlaces builds shares by source, and marks cells without reports', () => {
  const group = (from: string | null, to: string, successful: string, errors = '0') => ({
    key: { sourceLocality: from === null ? null : place(from), locality: place(to) },
    name: '',
    totals: totals({ successful, errors }),
  });
  const { sources, targets, cells } = buildPlaces({
    groups: [
      group('b', 'a', '18446744073709551615'),
      group('a', 'a', '60', '15'),
      group('a', 'b', '25'),
      group(null, 'b', '0'),
    ],
  });
  expect(sources).toEqual([place('a'), place('b'), null]);
  expect(targets).toEqual([place('a'), place('b')]);
  expect(cells).toEqual([
    [
      { requests: '75', failed: '15', share: 0.75 },
      { requests: '25', failed: '0', share: 0.25 },
    ],
    [{ requests: '18446744073709551615', failed: '0', share: 1 }, null],
    [null, { requests: '0', failed: '0', share: 0 }],
  ]);
});

test('buildReporters marks silent clients by their own interval, and lists them first', () => {
  const client = (clientId: string, reported: Record<string, unknown>) => {
    return { key: { clientId }, name: clientId, totals: totals(reported) };
  };
  const reporters = buildReporters({
    to: Date.parse('2026-01-01T00:01:00.000Z'),
    groups: [
      client('steady', {}),
      client('slow', { lastAt: Date.parse('2026-01-01T00:00:00.000Z'), intervalMs: 30_000 }),
      client('gone', { lastAt: Date.parse('2026-01-01T00:00:29.000Z') }),
      client('unreported', { lastAt: Date.parse('2026-01-01T00:00:00.000Z'), intervalMs: undefined }),
    ],
  });
  expect(reporters.map(({ name, state }) => [name, state])).toEqual([
    ['gone', 'silent'],
    ['steady', 'reports'],
    ['slow', 'reports'],
    ['unreported', 'unknown'],
  ]);
});

test('buildReporters marks a client silent when time passes after the answer', () => {
  const to = Date.parse('2026-11-22T09:00:30.000Z');
  const group = {
    ...{ key: { clientId: 'c' }, name: 'c' },
    totals: {
      ...{ reports: '4', intervalMs: 10_000, successful: '0', errors: '0', dropped: '0' },
      ...{
        metricCount: '0',
        metricSum: 0,
        metricNotFinite: '0',
        lastAt: Date.parse('2026-11-22T09:00:20.000Z'),
      },
    },
  };
  const stateAfter = (sinceMs: number) => buildReporters({ groups: [group], to }, sinceMs)[0]?.state;
  expect([0, 20_000, 20_001].map(stateAfter)).toEqual(['reports', 'reports', 'silent']);
});
