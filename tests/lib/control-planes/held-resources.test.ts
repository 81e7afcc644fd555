import { expect, it } from 'vitest';
import { HeldResources } from '@/lib/control-planes/held-resources';
import { CDS, EDS } from '@/lib/xds/resource-type';

const row = (name: string, hash: string | null, { typeUrl } = CDS) => ({ typeUrl, name, hash });

it('has what the answers of each holder changed, by type', () => {
  const held = new HeldResources();
  held.apply('tap:1 c1', [row('a', 'h1'), row('b', 'h1'), row('a', 'h2', EDS)], []);
  held.apply('tap:1 c1', [row('b', 'h2')], [row('a', 'h1')]);
  held.apply('tap:2 c1', [row('c', 'h1')], []);
  expect([...held.find('tap:1 c1', CDS.typeUrl)]).toEqual([['b', 'h2']]);
  expect([...held.find('tap:1 c1', EDS.typeUrl)]).toEqual([['a', 'h2']]);
  expect([...held.find('tap:2 c1', CDS.typeUrl)]).toEqual([['c', 'h1']]);
  // The client holds no payload of it any longer.
  held.apply('tap:2 c1', [row('c', null)], []);
  expect(held.find('tap:2 c1', CDS.typeUrl).size).toBe(0);
});

it('keeps the thousand holders that answered last', () => {
  const held = new HeldResources();
  for (let index = 0; index < 1_000; index += 1) held.apply(`tap:1 c${index}`, [row('a', 'h1')], []);
  held.apply('tap:1 c0', [row('b', 'h1')], []);
  held.apply('tap:1 c1000', [row('a', 'h1')], []);
  expect(held.find('tap:1 c0', CDS.typeUrl).size).toBe(2);
  expect(held.find('tap:1 c1', CDS.typeUrl).size).toBe(0);
});
