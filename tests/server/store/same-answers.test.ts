import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChurnEntry, churnEntryOf } from '@/lib/churn/churn-entry';
import type { Observation } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { systemClock } from '@/server/observe';
import type { HistoryFilter } from '@/server/store/history-query';
import { ObservationLog } from '@/server/store/log';
import type { Recorder } from '@/server/store/recorder/recorder';
import { storedKinds, storedVantages } from '@/server/store/stored-kinds';
import { makeDay } from '@/tests/support/builders/make-day';
import { oddObservations } from '@/tests/support/builders/odd-observations';
import { matchesFilter } from '@/tests/support/matches-filter';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { emissions, streamStory } from '../../support/log-story';
import { describeEngines } from './engines';

const startAt = Date.UTC(2026, 10, 20);
const day = { observations: 3_000, startAt, clients: 8, largeClients: 1, manyServices: 300, seed: 4 };

const workload: readonly Observation[] = [
  ...streamStory(startAt),
  ...oddObservations(startAt + 1_000),
  ...[...makeDay(day, { wire: 0, delta: 0 })].flat().map(({ observation }) => observation),
  ...streamStory(startAt + 40_000_000, 'client-b'),
  ...oddObservations(startAt + 90_000_000),
];

/** A filter for each text that the workload has of each facet, or for some of them where there are many. */
function filtersOf(observations: readonly Observation[]): HistoryFilter[] {
  const facets = observations.map(facetsOf);
  const some = (values: readonly (string | null)[], most: number): string[] => {
    const all = [...new Set(values)].filter((value) => value !== null);
    return all.filter((_, index) => index % Math.ceil(all.length / most) === 0);
  };
  const each = <K extends keyof HistoryFilter>(
    name: K,
    values: readonly HistoryFilter[K][],
  ): HistoryFilter[] => values.map((value) => ({ [name]: value }));
  const clients = some(
    observations.map((observation) => ('clientId' in observation ? observation.clientId : null)),
    12,
  );
  const types = some(
    facets.flatMap(({ typeUrls }) => typeUrls),
    10,
  );
  const ranges = [0, 1_000.5, 3_600_000, 40_000_000].map((from) => ({
    from: startAt + from,
    to: startAt + from + 3_600_000,
  }));
  return [
    ...[{}, { isRejection: true } as const, { from: startAt }, { to: startAt }, { to: 0 }, ...ranges],
    ...each('clientId', [...clients, 'nobody']),
    ...each('streamId', [
      ...some(
        facets.map(({ streamId }) => streamId),
        12,
      ),
      'none',
    ]),
    ...each(
      'sourceId',
      some(
        observations.map(({ sourceId }) => sourceId),
        12,
      ),
    ),
    ...each('typeUrls', [...types.map((type) => [type]), types, [], ['none'], [EDS.typeUrl, CDS.typeUrl]]),
    ...each('kinds', [...storedKinds.map((kind) => [kind]), [], ['ack-sent', 'nack-sent']]),
    ...each('vantages', [...storedVantages.map((vantage) => [vantage]), [], ['tap', 'csds']]),
    ...each('resourceName', [
      ...some(
        facets.flatMap(({ names }) => names),
        25,
      ),
      '',
      'none',
    ]),
    ...each('version', [
      ...some(
        facets.flatMap(({ versions }) => versions),
        15,
      ),
      'none',
    ]),
    ...each('errorText', [
      ...some(
        facets.flatMap(({ errors }) => errors),
        10,
      ),
      'ÜBER',
      'weight',
      'İ',
      '%',
      '',
      'no such',
    ]),
    ...clients.map((clientId, index) => ({ clientId, ...ranges[index % ranges.length] })),
    ...clients.map((clientId) => ({ clientId, isRejection: true, typeUrls: [CDS.typeUrl] }) as const),
    { resourceName: 'cart', version: 'v2', errorText: 'bad', kinds: ['nack-sent'], vantages: ['tap'] },
  ];
}

const filters = filtersOf(workload);

const pageSizes = [7, 200] as const;

async function pagesOf(
  read: (
    query: HistoryFilter & { limit: number; order: 'asc' | 'desc'; afterSeq?: number; beforeSeq?: number },
  ) => Promise<readonly { readonly seq: number }[]>,
  filter: HistoryFilter,
  order: 'asc' | 'desc',
): Promise<unknown[]> {
  const pages: unknown[] = [];
  let reached = {};
  // Pages continue one another, whatever their limit.
  for (const limit of pageSizes) {
    const page = await read({ ...filter, ...reached, limit, order });
    pages.push(page);
    const last = page.at(-1);
    if (last === undefined) break;
    reached = order === 'asc' ? { afterSeq: last.seq } : { beforeSeq: last.seq };
  }
  return pages;
}

const seqsOf = (filter: HistoryFilter): number[] =>
  workload.flatMap((observation, index) => (matchesFilter(observation, filter) ? [index + 1] : []));

const sorted = (values: readonly object[]): string[] => values.map((value) => JSON.stringify(value)).sort();

describeEngines('the log gives the answers that its observations give, as the recorder does,', ({ open }) => {
  let recorder: Recorder;
  let log: ObservationLog;

  beforeEach(async () => {
    recorder = await openWholeRecorder();
    for (const emission of emissions(workload)) recorder.append(emission);
    await recorder.flushed();
    log = new ObservationLog(await open(), systemClock);
    // Batches as of a quiet mesh, and one as after a rush.
    let from = 0;
    for (let size = 1; from < workload.length; size = size < 40 ? size + 1 : 1_500) {
      expect(await log.append({ observations: workload.slice(from, from + size) })).toBe(from + 1);
      from += size;
    }
  });

  afterEach(() => recorder.close());

  it('contains every kind and 100 filters', () => {
    expect(new Set(workload.map(({ kind }) => kind))).toEqual(new Set(storedKinds));
    expect(filters.length).toBeGreaterThan(100);
  });

  it('to the same history with the same pairs, in pages of both orders', async () => {
    for (const filter of filters) {
      for (const order of ['asc', 'desc'] as const) {
        const expected = await pagesOf((query) => recorder.readHistory(query), filter, order);
        const found = await pagesOf((query) => log.readHistory(query), filter, order);
        expect(found, JSON.stringify({ filter, order })).toEqual(expected);
        const seqs = (found.flat() as readonly { readonly seq: number }[]).map(({ seq }) => seq);
        const all = order === 'asc' ? seqsOf(filter) : seqsOf(filter).reverse();
        expect(seqs).toEqual(all.slice(0, seqs.length));
        expect(seqs).toHaveLength(Math.min(all.length, pageSizes[0] + pageSizes[1]));
      }
    }
  });

  it('to the same counts, marks and densities', async () => {
    for (const filter of filters) {
      const what = JSON.stringify(filter);
      const total = seqsOf(filter).length;
      expect(await recorder.countHistory(filter), what).toBe(total);
      expect(await log.countHistory(filter), what).toBe(total);
      for (const limit of [500, 10_000]) {
        expect(await log.readMarks(filter, limit), what).toEqual(await recorder.readMarks(filter, limit));
      }
      for (const bucketMs of [1_000, 60_000, 3_600_000]) {
        const expected = sorted(await recorder.readDensity(filter, bucketMs));
        expect(sorted(await log.readDensity(filter, bucketMs)), what).toEqual(expected);
      }
    }
  });

  it('to the same observations, as JSON and parsed, and to their tail', async () => {
    const client = { clientId: 'client-b' };
    for (const query of [
      {},
      client,
      { kinds: ['nack-sent', 'lab-event'] as const },
      { afterSeq: 100, beforeSeq: 120 },
    ]) {
      for (const order of ['asc', 'desc'] as const) {
        const all = { ...query, order, limit: 400 };
        expect(await log.readObservationTexts(all)).toEqual(await recorder.readObservationTexts(all));
        expect(await log.readObservations(all)).toEqual(await recorder.readObservations(all));
      }
    }
    const expected: Observation[] = [];
    for await (const page of recorder.replayAfter(50)) expected.push(...page);
    const found: Observation[] = [];
    const abort = new AbortController();
    for await (const page of log.tail(50, abort.signal)) {
      found.push(...page);
      if (found.length === expected.length) abort.abort();
    }
    expect(found).toEqual(expected);
  });

  it('to the same churn', async () => {
    const clients = new Set(workload.flatMap((each) => ('clientId' in each ? [each.clientId] : [])));
    for (const clientId of clients) {
      const range = { from: startAt + 500, to: startAt + 50_000_000, clientId };
      const expected = seqsOf({ clientId, from: range.from, to: range.to }).flatMap((seq) => {
        const observation = workload[seq - 1];
        return observation === undefined ? [] : (churnEntryOf({ ...observation, seq }) ?? []);
      });
      const found: ChurnEntry[] = [];
      expect(await log.readChurn(range, (entry) => found.push(entry))).toBe(expected.length);
      expect(found).toEqual(expected);
    }
  });
});
