import { expect, it } from 'vitest';
import { xxh64 } from '@/lib/xds/xxh64';

it.each([
  ['', 0n, 0xef46db3751d8e999n],
  ['a', 0n, 0xd24ec4f1a98c6e5bn],
  ['abc', 0n, 0x44bc2cf5ad770999n],
  ['xxhash', 20_141_025n, 0xb559b98d844e0635n],
  ['Nobody inspects the spammish repetition', 0n, 0xfbcea83c8a378bf1n],
])('hashes %j with seed %d as published', (text, seed, hash) => {
  expect(xxh64(text, seed)).toBe(hash);
});
