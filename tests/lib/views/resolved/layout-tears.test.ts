import { expect, test } from 'vitest';
import { layoutTears } from '@/lib/views/resolved/layout-tears';
import type { Tears } from '@/lib/views/resolved/tears-schema';

const felt = { outcome: 'fails', durationMs: 1_000, text: '' } as const;
const timeOf = (clock: string): number => Date.parse(`2026-01-01T${clock}.000Z`);
const tear = (fromAt: string, toAt: string | null): Tears['items'][number] => ({
  kind: 'endpoints-not-come',
  fromAt: timeOf(fromAt),
  toAt: toAt === null ? undefined : timeOf(toAt),
  durationMs: 0,
  resources: [],
  rejection: '',
  preA74: felt,
  a74: { ...felt, outcome: 'nothing' },
});
const history = (items: Tears['items'], beginsAt: number | undefined = timeOf('00:00:00')): Tears => ({
  clientId: 'a',
  profile: 'core-1.56',
  from: 0,
  to: timeOf('01:00:00'),
  beginsAt,
  hasOlder: false,
  isCut: false,
  reportedTo: Date.parse('2026-11-20T00:00:00.000Z'),
  total: items.length,
  items,
});

test('layoutTears: the width of a tear is its duration', () => {
  const { bars } = layoutTears(history([tear('00:15:00', '00:30:00')]), 400);
  expect(bars).toEqual([{ index: 0, x: 100, width: 100, row: 0, preA74: 'fails', a74: 'nothing' }]);
});

test('layoutTears: a lasting tear reaches the end, and short ones have a minimum width', () => {
  const { bars } = layoutTears(history([tear('00:00:00', '00:00:01'), tear('00:45:00', null)]), 400);
  expect(bars.map(({ x, width }) => [x, width])).toEqual([
    [0, 3],
    [300, 100],
  ]);
});

test('layoutTears: tears at the end stay inside', () => {
  const { bars } = layoutTears(history([tear('01:00:00', null)]), 400);
  expect(bars.map(({ x, width }) => [x, width])).toEqual([[397, 3]]);
});

test('layoutTears: ticks lie on whole times, inside', () => {
  const { ticks } = layoutTears(history([tear('00:15:00', null)]), 400);
  expect(ticks.length).toBeGreaterThanOrEqual(2);
  for (const { x, at } of ticks) {
    expect(at % 60_000).toBe(0);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(400);
  }
});

test('layoutTears: an empty history has no bars', () => {
  expect(layoutTears(history([], undefined), 400).bars).toEqual([]);
});

test('layoutTears: overlapping tears are in different rows, and free rows are used again', () => {
  const items = [tear('00:00:00', '00:30:00'), tear('00:15:00', '00:20:00'), tear('00:45:00', null)];
  const { bars, rows } = layoutTears(history(items), 400);
  expect(bars.map(({ row }) => row)).toEqual([0, 1, 0]);
  expect(rows).toBe(2);
  const many = Array.from({ length: 50 }, () => tear('00:00:00', null));
  expect(layoutTears(history(many), 400).rows).toBe(6);
});
