import { by } from '../../collections/compare';
import { xxh64 } from './xxh64';

/** A host of a ring or table. */
export interface HashedHost {
  /** What is hashed: the address, or the hash key of the endpoint. */
  readonly key: string;
  /** Its share of the weights of all hosts, 0 to 1. */
  readonly weight: number;
}

/** Larger ones take too long to compute for one request. */
const mostEntries = 100_000;

export interface RingSize {
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * The index of the host that a ring of Envoy or gRPC (gRFC A42) has at the hash: that of the first entry at or after the hash, else
 * of the first one. A host has an entry for each whole number of its share of the ring, counted over the hosts before it. Returns a
 * reason if the ring is too large. Requires a host.
 */
export function findOnRing(
  hosts: readonly HashedHost[],
  { minimum, maximum }: RingSize,
  hash: bigint,
): number | string {
  const least = hosts.reduce((min, { weight }) => Math.min(min, weight), 1);
  const scale = Math.min(Math.ceil(least * minimum) / least, maximum);
  if (scale > mostEntries) return tooLarge('ring', Math.ceil(scale));
  let found = 0;
  let nearest: bigint | undefined;
  let entries = 0;
  let target = 0;
  for (const [index, { key, weight }] of hosts.entries()) {
    target += scale * weight;
    for (let number = 0; entries < target; number++, entries++) {
      const distance = BigInt.asUintN(64, xxh64(`${key}_${number}`) - hash);
      if (nearest !== undefined && distance >= nearest) continue;
      nearest = distance;
      found = index;
    }
  }
  return found;
}

/** The index of the host that a Maglev table of Envoy has at the hash. The size is a prime number. */
export function findInMaglev(hosts: readonly HashedHost[], size: number, hash: bigint): number | string {
  if (size > mostEntries) return tooLarge('Maglev table', size);
  const most = hosts.reduce((max, { weight }) => Math.max(max, weight), 0);
  const entries = hosts
    .map(({ key, weight }, index) => ({
      ...{ key, weight, index, target: 0, next: 0 },
      offset: Number(xxh64(key) % BigInt(size)),
      skip: Number(xxh64(key, 1n) % BigInt(size - 1)) + 1,
    }))
    .sort(by(({ key }) => key));
  const table = new Int32Array(size).fill(-1);
  let filled = 0;
  for (let iteration = 1; filled < size; iteration++)
    for (const entry of entries) {
      if (filled === size) break;
      // A host of a third of the highest weight has a turn in every third iteration.
      if (iteration * entry.weight < entry.target) continue;
      entry.target += most;
      let place = (entry.offset + entry.skip * entry.next) % size;
      while (table[place] !== -1) {
        entry.next += 1;
        place = (entry.offset + entry.skip * entry.next) % size;
      }
      table[place] = entry.index;
      entry.next += 1;
      filled += 1;
    }
  return table[Number(hash % BigInt(size))] ?? 0;
}

function tooLarge(what: string, size: number): string {
  return `a ${what} of ${size} entries is not computed: the limit is ${mostEntries}`;
}
