import { by } from '../../collections/compare';
import { xxh64 } from '../../xds/xxh64';

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
  return tableOf(`ring ${scale}`, hosts, () => buildRing(hosts, scale)).find(hash);
}

/** The index of the host that a Maglev table of Envoy has at the hash. The size is a prime number. */
export function findInMaglev(hosts: readonly HashedHost[], size: number, hash: bigint): number | string {
  if (size > mostEntries) return tooLarge('Maglev table', size);
  return tableOf(`maglev ${size}`, hosts, () => buildMaglev(hosts, size)).find(hash);
}

interface HashTable {
  readonly find: (hash: bigint) => number;
}

/** Each has at most 100,000 entries of 20 bytes. */
const mostTables = 32;
/** The tables that were used last, by what they are built from: to build one takes longer than the rest of an explanation. */
const tables = new Map<string, HashTable>();

function tableOf(kind: string, hosts: readonly HashedHost[], build: () => HashTable): HashTable {
  const content = JSON.stringify([kind, hosts.map(({ key, weight }) => [key, weight])]);
  const table = tables.get(content) ?? build();
  tables.delete(content);
  tables.set(content, table);
  for (const oldest of tables.keys()) {
    if (tables.size <= mostTables) break;
    tables.delete(oldest);
  }
  return table;
}

function buildRing(hosts: readonly HashedHost[], scale: number): HashTable {
  const hashes: bigint[] = [];
  const owners: number[] = [];
  let target = 0;
  for (const [index, { key, weight }] of hosts.entries()) {
    target += scale * weight;
    for (let number = 0; hashes.length < target; number++) {
      hashes.push(xxh64(`${key}_${number}`));
      owners.push(index);
    }
  }
  const entries = BigUint64Array.from(hashes);
  const sorted = entries.toSorted();
  const ofHost = Uint32Array.from(owners);
  return {
    find(hash) {
      const nearest = sorted[firstAtOrAfter(sorted, hash)] ?? sorted[0];
      // The first of equal entries counts.
      return nearest === undefined ? 0 : (ofHost[entries.indexOf(nearest)] ?? 0);
    },
  };
}

/** The length of the array if each is before the hash. */
function firstAtOrAfter(sorted: BigUint64Array, hash: bigint): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0n) < hash) from = middle + 1;
    else to = middle;
  }
  return from;
}

function buildMaglev(hosts: readonly HashedHost[], size: number): HashTable {
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
  return { find: (hash) => table[Number(hash % BigInt(size))] ?? 0 };
}

function tooLarge(what: string, size: number): string {
  return `a ${what} of ${size} entries is not computed: the limit is ${mostEntries}`;
}
