import { expect, test } from 'vitest';
import { graphNodeStatuses } from '@/lib/views/drawing/node-status';
import { statusShape } from '@/lib/views/drawing/status-shape';
import { states } from '@/lib/xds/status';

test('statusShape has a unique word for each status, and a unique shape except for NONE', () => {
  const reported = graphNodeStatuses.filter((status) => status !== 'NONE').map(statusShape);
  expect(new Set(reported.map((shape) => shape.word)).size).toBe(reported.length);
  expect(new Set(reported.map((shape) => `${shape.path}${shape.filled}`)).size).toBe(reported.length);
});

test('statusShape draws REQUESTED as the open shape of ACKED', () => {
  expect(statusShape('REQUESTED').path).toBe(statusShape('ACKED').path);
  expect([statusShape('ACKED').filled, statusShape('REQUESTED').filled]).toEqual([true, false]);
});

test('statusShape names a CSS variable per state', () => {
  expect(states.map((state) => statusShape(state).variable)).toEqual(
    states.map((state) => `--status-${state.toLowerCase().replaceAll('_', '-')}`),
  );
});
