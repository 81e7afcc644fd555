import { describe, expect, it } from 'vitest';
import type { StreamChange } from '@/lib/views/stream/schema';
import { changeKey, coalesceChanges } from '@/server/live/streaming/frame-coalescer';
import {
  clientChange,
  eventChange,
  rowOf,
  rowsChange,
  sourceChange,
} from '@/tests/support/builders/stream-changes';

const removedClient: StreamChange = { type: 'client-removed', clientId: 'a' };
const renewed: StreamChange = { type: 'resources-renewed', clientId: 'a' };
const rowsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => rowOf(`r${from + index}`));
const load: StreamChange = { type: 'load', clientId: 'a' };

describe('coalesceChanges', () => {
  it.each<[string, StreamChange[], StreamChange[]]>([
    ['nothing is nothing', [], []],
    ['keeps the newest of a client', [clientChange('a', 1), clientChange('a', 2)], [clientChange('a', 2)]],
    [
      'keeps what was reported different things',
      [clientChange('a'), sourceChange('a'), load, eventChange(1)],
      [clientChange('a'), sourceChange('a'), load, eventChange(1)],
    ],
    ['lets a removal replace the client', [clientChange('a'), removedClient], [removedClient]],
    ['lets a client return after its removal', [removedClient, clientChange('a')], [clientChange('a')]],
    ['says once that there is new load', [load, load], [load]],
    [
      'orders by the newest of each key',
      [clientChange('a', 1), clientChange('b', 1), clientChange('a', 2)],
      [clientChange('b', 1), clientChange('a', 2)],
    ],
    ['keeps every event', [eventChange(1), eventChange(2)], [eventChange(1), eventChange(2)]],
    [
      'merges the rows of one client, the newest of each',
      [rowsChange('a', [rowOf('x', '1'), rowOf('y', '1')]), rowsChange('a', [rowOf('x', '2')])],
      [rowsChange('a', [rowOf('x', '2'), rowOf('y', '1')])],
    ],
    [
      'lets a removal replace a row',
      [rowsChange('a', [rowOf('x'), rowOf('y')]), rowsChange('a', [], ['x'])],
      [rowsChange('a', [rowOf('y')], ['x'])],
    ],
    [
      'says once that all of a client’s rows are to be read again, whatever else is reported them',
      [rowsChange('a', [rowOf('x')]), renewed, rowsChange('a', [rowOf('y')])],
      [renewed],
    ],
    [
      'has the rows read again when they are too many together',
      [rowsChange('a', rowsOf(0, 600)), rowsChange('a', rowsOf(500, 1_100))],
      [renewed],
    ],
    [
      'lets a row return after its removal',
      [rowsChange('a', [], ['x', 'y']), rowsChange('a', [rowOf('x')])],
      [rowsChange('a', [rowOf('x')], ['y'])],
    ],
    [
      'does not mix the rows of two clients',
      [rowsChange('a', [rowOf('x')]), rowsChange('b', [], ['x'])],
      [rowsChange('a', [rowOf('x')]), rowsChange('b', [], ['x'])],
    ],
  ])('%s', (_, changes, expected) => {
    expect(coalesceChanges(changes)).toEqual(expected);
  });

  it('keeps the newest events if there are more than the limit', () => {
    const events = Array.from({ length: 10 }, (_, seq) => eventChange(seq));
    expect(coalesceChanges([clientChange('a'), ...events], 3)).toEqual([
      clientChange('a'),
      ...events.slice(7),
    ]);
  });

  it('has the same result in one pass and in two', () => {
    const changes = [
      clientChange('a', 1),
      rowsChange('a', [rowOf('x', '1')], ['z']),
      eventChange(1),
      removedClient,
      rowsChange('a', [rowOf('z', '2')], ['x']),
      clientChange('b', 1),
    ];
    const half = coalesceChanges(changes.slice(0, 3));
    expect(coalesceChanges([...half, ...changes.slice(3)])).toEqual(coalesceChanges(changes));
  });

  it('leaves its input as it was', () => {
    const change = rowsChange('a', [rowOf('x')]);
    const before = structuredClone(change);
    coalesceChanges([change, rowsChange('a', [], ['x'])]);
    expect(change).toEqual(before);
  });
});

it('changeKey distinguishes ids that look like another kind', () => {
  const keys = [
    clientChange('x'),
    sourceChange('x'),
    rowsChange('x', []),
    { type: 'load', clientId: 'x' } as const,
  ];
  expect(new Set(keys.map(changeKey)).size).toBe(4);
});
