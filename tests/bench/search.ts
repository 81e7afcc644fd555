import { CDS, EDS } from '@/lib/xds/resource-type';
import { formatMark } from '@/server/live/search/posting-mark';
import { ResourceIndex } from '@/server/live/search/resource-index';
import type { SearchInput } from '@/server/live/search/search-jobs';
import { answer, childTask, inOwnProcess } from './in-own-process';
import { percentile, print } from './measure';
import { type Fts5Figures, measureFts5 } from './search-fts5';

/** Times are those of the processor, because the machine does other work as well. */

/** Distinct resources of each client. */
const perClient = 100;
const rounds = 30;
const clientCounts = [2_500, 25_000];

interface Figures {
  readonly buildMs: number;
  readonly grownMb: number;
  readonly ownMb: number;
  readonly postings: number;
  readonly leftOut: number;
  readonly searches: readonly (readonly [name: string, p50: number, p95: number, found: number])[];
}

const acked = formatMark({ state: 'ACKED', isHeld: true, isProbe: false });
const nacked = formatMark({ state: 'NACKED', isHeld: true, isProbe: false });

/** The names of a mesh in which no two clients have a resource in common, as Istio writes them. */
const nameOf = (owner: number, at: number): string =>
  `outbound|8080||svc-${at}-${owner}.ns-${owner % 500}.svc.cluster.local`;

function fill(index: ResourceIndex, clients: number): void {
  const types = [CDS.typeUrl, EDS.typeUrl];
  for (let owner = 0; owner < clients; owner++) {
    const each = Array.from({ length: perClient }, (_, at) => at);
    index.apply({
      types,
      owners: each.map(() => owner),
      kinds: each.map((at) => at % 2),
      names: each.map((at) => nameOf(owner, at)),
      marks: each.map((at) => (owner % 1_000 === 7 && at === 3 ? nacked : acked)),
      hashes: each.map((at) => (owner * perClient + at).toString(16).padStart(8, '0').padEnd(64, '5')),
    });
  }
}

/** The endpoints of one payload. */
function addressesOf(payload: number): Set<string> {
  const [a, b] = [payload >>> 8, payload & 255];
  return new Set(Array.from({ length: 3 }, (_, at) => `10.${a & 255}.${b}.${at + (a >>> 8) * 4}:8080`));
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function run(clients: number): Figures {
  const before = usedBytes();
  const startedAt = process.cpuUsage();
  const index = new ResourceIndex();
  fill(index, clients);
  for (let payload = 0; index.state.payloadsWaiting > 0; ) {
    for (const hash of index.payloads.next(1_000).keys()) {
      payload += 1;
      index.payloads.read(hash, { addresses: addressesOf(payload), domains: new Set() });
    }
  }
  const built = process.cpuUsage(startedAt);
  const buildMs = (built.user + built.system) / 1_000;
  const grownMb = (usedBytes() - before) / 1e6;
  const { bytes, payloadBytes, postings, rowsLeftOut } = index.state;
  const last = clients - 1;
  const condition = (field: string, value: string) => ({ field, operator: '=' as const, value }) as never;
  const inputs: readonly (readonly [string, Partial<SearchInput>])[] = [
    ['one name', { words: [`svc-42-${last}`] }],
    ['a part of many names', { words: ['ns-77.'] }],
    ['a part of every name', { words: ['svc'] }],
    ['two words', { words: ['svc-42', `ns-${last % 500}.`] }],
    ['a letter of every name', { words: ['s'] }],
    ['two letters of no name', { words: ['qz'] }],
    ['no match', { words: ['payment-v1'] }],
    ['status=NACKED', { conditions: [condition('status', 'nacked')] }],
    ['type=EDS and a part', { words: ['-2499.'], conditions: [condition('type', 'eds')] }],
    ['a hash', { words: ['00000a'] }],
    ['an address', { words: ['10.7.7.1:8080'] }],
  ];
  const searches = inputs.map(([name, input]) => {
    const took: number[] = [];
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const from = process.cpuUsage();
      const { total, byHash, endpoints } = index.search({ words: [], conditions: [], limit: 20, ...input });
      const { user, system } = process.cpuUsage(from);
      took.push((user + system) / 1_000);
      found = total + byHash.length + endpoints.length;
    }
    return [name, percentile(took, 0.5), percentile(took, 0.95), found] as const;
  });
  return { buildMs, grownMb, ownMb: (bytes + payloadBytes) / 1e6, postings, leftOut: rowsLeftOut, searches };
}

const printSearches = (searches: Figures['searches']): void => {
  for (const [name, p50, p95, found] of searches)
    print(
      `  ${name.padEnd(24)} median ${p50.toFixed(1).padStart(6)} ms   p95 ${p95.toFixed(1).padStart(6)} ms   ${found} found (aim 50 ms)`,
    );
};

const task = childTask();
if (task === 'fts5') {
  const clients = clientCounts.at(-1) ?? 0;
  answer(
    measureFts5(Array.from({ length: clients * perClient }, (_, at) => nameOf(at % clients, at % perClient))),
  );
} else if (task === undefined) {
  const [few, many] = clientCounts.map(
    (clients) => [clients, inOwnProcess<Figures>(String(clients))] as const,
  );
  for (const [clients, { buildMs, grownMb, ownMb, postings, leftOut, searches }] of [few, many].flatMap(
    (each) => (each === undefined ? [] : [each]),
  )) {
    print(`${clients} clients of ${perClient} distinct resources: ${postings} postings, ${leftOut} left out`);
    print(
      `  built in ${buildMs.toFixed(0)} ms, ${grownMb.toFixed(0)} MB (counted ${ownMb.toFixed(0)} MB; aim 300 MB)`,
    );
    printSearches(searches);
  }
  const fts5 = inOwnProcess<Fts5Figures>('fts5');
  print(`the names of the larger fleet in SQLite, FTS5 with trigrams`);
  print(`  built in ${fts5.buildMs.toFixed(0)} ms, ${fts5.fileMb.toFixed(0)} MB`);
  printSearches(fts5.searches);
  if (few !== undefined && many !== undefined) {
    print(
      `ratios of ${many[0]} to ${few[0]} clients: memory ${(many[1].grownMb / few[1].grownMb).toFixed(1)}`,
    );
    for (const [at, [name, p50]] of many[1].searches.entries())
      print(`  ${name.padEnd(24)} ${(p50 / (few[1].searches[at]?.[1] ?? p50)).toFixed(1)}`);
  }
} else answer(run(Number(task)));
