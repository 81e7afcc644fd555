import type { QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { Invalidator } from '@/app/_stream/invalidator';
import { ManualClock } from '../../support/recorder-manual-clock';

/** Reports that come each 100 ms for 10 s, the last moment included; readings take no time. */
async function readingsUnder(keys: readonly QueryKey[]): Promise<QueryKey[]> {
  const clock = new ManualClock();
  const read: QueryKey[] = [];
  const invalidator = new Invalidator(async (key) => read.push(key), clock);
  for (let ms = 0; ms < 10_000; ms += 100) {
    for (const key of keys) invalidator.invalidate(key);
    await new Promise(setImmediate);
    clock.advance(100);
  }
  return read;
}

test('load that changes permanently is read once a second, each key separately', async () => {
  expect(await readingsUnder([['load']])).toHaveLength(11);
  const both = await readingsUnder([['load'], ['client', 'c', 'load']]);
  expect(both.filter(([of]) => of === 'load')).toHaveLength(11);
  expect(both).toHaveLength(22);
});

test('occasional changes are read within half a second', async () => {
  expect(await readingsUnder([['client', 'c', 'graph']])).toHaveLength(21);
});

test('load without new reports is not read', async () => {
  expect(await readingsUnder([])).toEqual([]);
});
