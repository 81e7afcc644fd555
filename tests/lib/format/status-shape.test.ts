import { expect, test } from 'vitest';
import { graphNodeStatuses } from '@/lib/api/schema';
import { statusShape } from '@/lib/format/status-shape';
import { clientStatuses } from '@/lib/xds/status';

test('statusShape tells every status apart by its word, and every one but NONE by its shape', () => {
  const told = graphNodeStatuses.filter((status) => status !== 'NONE').map(statusShape);
  expect(new Set(told.map((shape) => shape.word)).size).toBe(told.length);
  expect(new Set(told.map((shape) => `${shape.path}${shape.filled}`)).size).toBe(told.length);
});

test('statusShape draws requested as the open shape of acked', () => {
  expect(statusShape('REQUESTED').path).toBe(statusShape('ACKED').path);
  expect([statusShape('ACKED').filled, statusShape('REQUESTED').filled]).toEqual([true, false]);
});

test('statusShape names a CSS variable per client status', () => {
  expect(clientStatuses.map((status) => statusShape(status).variable)).toEqual([
    '--status-unknown',
    '--status-requested',
    '--status-does-not-exist',
    '--status-acked',
    '--status-nacked',
    '--status-received-error',
    '--status-timeout',
  ]);
});
