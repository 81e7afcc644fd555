import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findInMaglev, findOnRing } from '@/lib/lb/hash/hash-tables';
import { xxh64 } from '@/lib/xds/xxh64';

const hashes = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const weighted = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }).map((weights) => {
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each, at) => ({ key: `10.0.0.${at}:80`, weight: each / sum }));
});

it('finds the first entry of the sorted ring at or after the hash, else the first one', () => {
  fc.assert(
    fc.property(weighted, hashes, fc.integer({ min: 1, max: 60 }), (hosts, hash, minimum) => {
      const least = Math.min(...hosts.map(({ weight }) => weight));
      const scale = Math.ceil(least * minimum) / least;
      const ring: { readonly at: bigint; readonly host: number }[] = [];
      let target = 0;
      hosts.forEach(({ key, weight }, host) => {
        target += scale * weight;
        for (let number = 0; ring.length < target; number++)
          ring.push({ at: xxh64(`${key}_${number}`), host });
      });
      ring.sort((a, b) => (a.at < b.at ? -1 : 1));
      const expected = ring.find(({ at }) => at >= hash) ?? ring[0];
      expect(findOnRing(hosts, { minimum, maximum: 1_000_000 }, hash)).toBe(expected?.host);
    }),
  );
});

it('fills a Maglev table by weight', () => {
  const hosts = [1, 2, 4].map((weight, at) => ({ key: `10.0.0.${at}:80`, weight: weight / 7 }));
  const size = 1_009;
  const counts = [0, 0, 0];
  for (let hash = 0n; hash < BigInt(size); hash++) {
    const found = findInMaglev(hosts, size, hash);
    expect(found).toBeTypeOf('number');
    counts[Number(found)] = (counts[Number(found)] ?? 0) + 1;
  }
  expect(counts.map((count, at) => Math.abs(count - size * (hosts[at]?.weight ?? 0)) < 3)).toEqual([
    true,
    true,
    true,
  ]);
});

it('finds the same after tables of other hosts, weights and sizes were computed', () => {
  const hosts = (first: number) => [0, 1, 2].map((at) => ({ key: `10.0.${first}.${at}:80`, weight: 1 / 3 }));
  const sizes = [
    { minimum: 8, maximum: 64 },
    { minimum: 32, maximum: 64 },
  ];
  const findAll = () =>
    Array.from({ length: 20 }, (_, first) =>
      [1n, 2n ** 63n, 2n ** 64n - 1n].flatMap((hash) => [
        ...sizes.map((size) => findOnRing(hosts(first), size, hash)),
        findInMaglev(hosts(first), 101, hash),
        findInMaglev(
          hosts(first).map((host, at) => ({ ...host, weight: at === 0 ? 1 / 2 : 1 / 4 })),
          101,
          hash,
        ),
      ]),
    );
  const found = findAll();
  expect(new Set(found.map((each) => each.join())).size).toBeGreaterThan(1);
  expect(findAll()).toEqual(found);
});

it('computes no ring or table of more than 100,000 entries', () => {
  const hosts = [{ key: 'a', weight: 1 }];
  expect(findOnRing(hosts, { minimum: 100_001, maximum: 8_388_608 }, 1n)).toMatch(/ring of 100001 entries/);
  expect(findInMaglev(hosts, 5_000_011, 1n)).toMatch(/table of 5000011 entries/);
});
