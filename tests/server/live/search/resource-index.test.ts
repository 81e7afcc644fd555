import { expect, it } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { formatMark, goneMark } from '@/server/live/search/posting-mark';
import { ResourceIndex } from '@/server/live/search/resource-index';

const hashOf = (number: number) => number.toString(16).padStart(8, '0').padEnd(64, '0');

function put(
  index: ResourceIndex,
  owner: number,
  name: string,
  hash: string | null = null,
  mark = formatMark({ state: 'ACKED', isHeld: true, isProbe: false }),
) {
  const types = [EDS.typeUrl, CDS.typeUrl];
  index.apply({ types, owners: [owner], kinds: [0], names: [name], marks: [mark], hashes: [hash] });
}

const search = (index: ResourceIndex, word: string, limit = 10) =>
  index.search({ words: [word], conditions: [], limit });

it('leaves out rows beyond the limit, and states their number', () => {
  const index = new ResourceIndex({ mostBytes: new ResourceIndex().state.bytes + 1, mostPayloads: 10 });
  put(index, 1, 'cart');
  put(index, 2, 'pay');
  put(index, 2, 'cart');
  expect(index.state).toMatchObject({ resources: 1, postings: 2, rowsLeftOut: 1 });
  expect(search(index, 'cart').resources).toMatchObject([{ name: 'cart', clients: 2 }]);
  expect(search(index, 'pay').resources).toEqual([]);
});

it('finds the whole name among too many matches', () => {
  const index = new ResourceIndex();
  for (let at = 0; at < 5_000; at++) put(index, 1, `cart-${at}`);
  put(index, 2, 'cart');
  expect(search(index, 'cart', 1)).toMatchObject({
    resources: [{ name: 'cart' }],
    total: 2_001,
    isComplete: false,
  });
});

it('forgets names that no client has any more', () => {
  const index = new ResourceIndex();
  for (let owner = 0; owner < 300; owner++)
    for (let at = 0; at < 100; at++) put(index, owner, `svc-${owner}-${at}`);
  index.drop(Array.from({ length: 250 }, (_, owner) => owner));
  expect(index.state).toMatchObject({ resources: 5_000, postings: 5_000 });
  expect(search(index, 'svc-299-7').resources.map(({ name }) => name)).toEqual([
    'svc-299-7',
    ...Array.from({ length: 9 }, (_, at) => `svc-299-7${at}`),
  ]);
  expect(search(index, 'svc-0-7').resources).toEqual([]);
});

it('forgets payloads that no client has any more, so that others have room', () => {
  const index = new ResourceIndex({ mostBytes: 1e9, mostPayloads: 10 });
  const readAll = () => {
    for (const hash of index.payloads.next(100).keys()) {
      index.payloads.read(hash, { addresses: new Set([`a-${hash.slice(0, 8)}`]), domains: new Set() });
    }
  };
  for (let version = 1; version <= 35; version++) {
    put(index, 1, 'cart', hashOf(version));
    readAll();
  }
  put(index, 1, 'cart', hashOf(99));
  for (let row = 0; row < 10; row++) put(index, 1, 'cart', hashOf(99));
  readAll();
  expect(index.state.payloads).toBeLessThan(10);
  expect(search(index, 'a-00000063').endpoints).toMatchObject([{ resources: [{ name: 'cart' }] }]);
  expect(search(index, 'a-0000').endpoints).toHaveLength(1);
});

it('removes a row that the client no longer has', () => {
  const index = new ResourceIndex();
  put(index, 1, 'cart');
  put(index, 1, 'cart', null, goneMark);
  put(index, 1, 'other', null, goneMark);
  expect(search(index, 'cart').resources).toEqual([]);
});
