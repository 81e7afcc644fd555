import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoadPart, LoadScope } from '@/lib/load/load-series';
import { splitLoadReport } from '@/lib/load/split-load-report';
import { loadSeriesQuery, loadTotalsQuery } from '@/lib/views/load/query';
import { loadSeriesAnswer, loadTotalsAnswer } from '@/lib/views/load/schema';
import { LoadApi } from '@/server/answers/load/load-api';
import { parseInput } from '@/server/answers/parse-input';
import { readStoredLoad, type StoredLoad, toStoredLoad } from '@/server/answers/permalinks/permalinks-api';
import { createCodec } from '@/server/codec/codec';
import { createLoadReportReceiver } from '@/server/collect/lrs/load-report-receiver';
import { LoadBlockWriter } from '@/server/live/load/load-block';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { lrsClient } from '../../../support/lrs-client';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { tempDataDir } from '../../../support/recorder-temp-dir';
import { until } from '../../../support/xds-probe-story';

const localityOf = () => ({ region: '', zone: 'eu-9', subZone: '' });

describe('LoadRecorder', () => {
  let clock: ManualClock;
  let dataDir: string;
  let recorder: LoadRecorder;
  let start: number;

  beforeEach(async () => {
    clock = new ManualClock();
    start = clock.now();
    dataDir = tempDataDir();
    recorder = await LoadRecorder.open({ dataDir, clock });
  });
  afterEach(() => recorder.close());

  const findTime = async (moment: string) => Date.parse(moment);
  const api = () =>
    new LoadApi({
      nowOf: () => clock.now(),
      loads: recorder,
      findTime,
      nodeIdOf: () => 'shop-web',
      localityOf,
    });

  async function totals(query: Record<string, string> = {}) {
    const answered = await api().totals(parseInput(loadTotalsQuery, query));
    if (!('json' in answered)) throw new Error('expected JSON');
    return loadTotalsAnswer.parse(answered.json);
  }
  async function series(query: Record<string, string>) {
    const answered = await api().series(parseInput(loadSeriesQuery, query));
    if (!('json' in answered)) throw new Error('expected JSON');
    return loadSeriesAnswer.parse(answered.json);
  }

  test('a report on the wire is in the series and in the totals, also after a restart', async () => {
    const receiver = createLoadReportReceiver({
      ...{ sourceId: 'lrs', clock, codec: createCodec({ redactionKey: new Uint8Array(32) }) },
      observe: ({ observation }) => recorder.observe(observation),
      onStatus: () => {},
    });
    receiver.start();
    const client = lrsClient(await receiver.listen({ port: 0 }));
    client.send({ node: { id: 'shop-web' } });
    client.send({
      clusterStats: [
        {
          clusterName: 'cart',
          totalDroppedRequests: 5,
          droppedRequests: [{ category: 'lb', droppedCount: 3 }],
          loadReportInterval: { seconds: 10 },
          upstreamLocalityStats: [
            {
              locality: { zone: 'eu-1' },
              totalSuccessfulRequests: '18446744073709551615',
              totalErrorRequests: 20,
              totalRequestsInProgress: 4,
              loadMetricStats: [
                { metricName: 'queue', numRequestsFinishedWithMetric: 2, totalMetricValue: 0.5 },
              ],
              upstreamEndpointStats: [
                {
                  address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
                  totalSuccessfulRequests: 30,
                },
              ],
            },
          ],
        },
      ],
    });
    await until(() => expect(recorder.stats.reports).toBe(1));

    const check = async () => {
      const [cart] = (await totals()).groups;
      expect(cart).toMatchObject({
        name: 'cart',
        totals: { reports: '1', intervalMs: 10_000, successful: '18446744073709551615', errors: '20' },
      });
      expect(cart?.totals).toMatchObject({ dropped: '5' });
      expect(cart?.totals.issued).toBeUndefined();
      expect((await totals({ by: 'endpoint' })).groups).toMatchObject([
        { name: '10.0.0.1:80', totals: { successful: '30' } },
      ]);
      expect((await totals({ by: 'metric' })).groups).toMatchObject([
        { name: 'queue', totals: { metricCount: '2', metricSum: 0.5 } },
      ]);
      expect((await totals({ by: 'source-locality' })).groups).toMatchObject([
        { name: 'eu-9 to eu-1', totals: { errors: '20' } },
      ]);
      expect((await totals({ by: 'drop-category' })).groups).toMatchObject([
        { name: 'lb', totals: { dropped: '3' } },
        { name: 'no category', totals: { dropped: '2' } },
      ]);
    };
    await check();
    // The current step is returned when it is over.
    const question = { by: 'locality', measure: 'in-flight,errors', step: '10s' };
    expect((await series(question)).groups).toEqual([]);
    clock.advance(10_000);
    const { groups } = await series(question);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.name).toBe('eu-1');
    expect(groups[0]?.values['in-flight']?.filter((value) => value !== null)).toEqual([4]);
    expect(groups[0]?.values.errors?.filter((value) => value !== null)).toEqual([2]);

    client.vanish();
    await client.ended;
    await receiver.close();
    await recorder.close();
    recorder = await LoadRecorder.open({ dataDir, clock });
    await check();
  });

  test('imported clients are returned when requested, and are in sums only if no live client reported', async () => {
    const loadOf = (successful: string) => clusterLoad([localityLoad('a', { successful })]);
    const sums = async (query: Record<string, string> = {}) =>
      (await totals(query)).groups.map(({ name, totals: reported }) => [name, reported.successful]);
    const [web, file] = ['any', 'other'];
    const writer = new LoadBlockWriter();
    const parts: LoadPart[] = [];
    splitLoadReport(loadOf('7'), start, (part, values) =>
      writer.add(parts.push(part) - 1, part.kind, values),
    );
    const scope: LoadScope = {
      ...{ sourceId: 'file:a#lrs', vantage: 'lrs', clientId: file, clusterName: 'cart' },
      ...{ clusterServiceName: '', stream: 0, isTimed: true, fileId: 'file:a' },
    };
    await recorder.add(writer.finish(), (id) => parts[id] && { scope, part: parts[id] });
    expect(await sums()).toEqual([['cart', '7']]);
    recorder.observe(loadReported(start, [loadOf('40')], { clientId: web }));
    expect(await sums()).toEqual([['cart', '40']]);
    expect(await sums({ by: 'locality' })).toEqual([['eu / a', '40']]);
    expect(await sums({ client: file })).toEqual([['cart', '7']]);
    expect(await sums({ client: web })).toEqual([['cart', '40']]);
    clock.advance(7_200_000);
    await recorder.tidy();
    expect(await sums({ from: new Date(start).toISOString() })).toEqual([['cart', '40']]);
  });

  test('returns the same from minutes and hours as from raw reports', async () => {
    for (let report = 0; report < 400; report++) {
      recorder.observe(
        loadReported(clock.now(), [
          clusterLoad([localityLoad('a', { successful: String(report), issued: null })]),
        ]),
      );
      clock.advance(30_000);
    }
    const span = { from: new Date(start).toISOString(), to: new Date(start + 12_000_000).toISOString() };
    const before = await totals(span);
    await recorder.tidy();
    expect(await totals(span)).toEqual(before);
    expect(before.groups[0]?.totals.successful).toBe(String((399 * 400) / 2));
    const byHour = await series({ ...span, step: '1h' });
    const byMinute = await series({ ...span, step: '1m' });
    expect(byHour.groups[0]?.totals).toEqual(byMinute.groups[0]?.totals);
    expect(byMinute.groups[0]?.values.requests).toHaveLength(200);
  });

  test('is stored in a permalink as it is drawn, and still returned when the file has deleted it', async () => {
    for (let report = 0; report < 90; report++) {
      const zones = ['a', 'b'].map((zone) => localityLoad(zone, { successful: '100', errors: `${report}` }));
      recorder.observe(loadReported(clock.now(), [clusterLoad(zones, { totalDropped: '3' })]));
      recorder.observe(loadReported(clock.now(), [clusterLoad(zones)], { clientId: 'other' }));
      clock.advance(10_000);
    }
    const span = { from: start, to: clock.now() };
    const stored = JSON.parse(JSON.stringify(await toStoredLoad(recorder, 'web', span))) as StoredLoad;
    const read = readStoredLoad(stored);
    for (const by of ['cluster', 'locality', 'drop-category'] as const) {
      for (const stepMs of [null, 10_000, 60_000]) {
        const measures = ['requests', 'error-ratio', 'drops', 'in-flight'] as const;
        const question = { by, clientId: 'web', span, stepMs, measures, limit: 10 };
        const live = await recorder.read(question);
        expect(live.groups.length).toBeGreaterThan(0);
        expect(read(question).groups).toEqual(live.groups);
      }
    }
    // A span that begins within a step begins with the next one.
    const part = { by: 'locality', span: { from: start + 15_000, to: start + 40_000 } } as const;
    const reported = read({ ...part, stepMs: null, measures: [], limit: 10 });
    expect(reported.span).toEqual({ from: start + 20_000, to: start + 40_000 });
    expect(reported.groups.map(({ totals: { errors } }) => errors)).toEqual([5, 5]);
  });

  test('is read up to a moment, including reports at that moment', async () => {
    for (const successful of ['1', '20', '300']) {
      recorder.observe(loadReported(clock.now(), [clusterLoad([localityLoad('a', { successful })])]));
      clock.advance(60_000);
    }
    const at = new Date(start + 60_000).toISOString();
    expect((await totals({ at })).groups[0]?.totals.successful).toBe('21');
    expect((await totals({ at, span: '30s' })).groups[0]?.totals.successful).toBe('20');
    const { to, groups } = await series({ at, span: '5m', step: '1m' });
    expect(to).toBe(start + 60_001);
    expect(groups[0]?.totals.successful).toBe('21');
    await expect(totals({ at, to: at })).rejects.toThrow('at: expected either at or to, got both');
    await expect(totals({ span: 'long' })).rejects.toThrow('span: expected a duration as in 15m');
  });

  test('exports CSV in which no name is a formula', async () => {
    recorder.observe(
      loadReported(start, [
        clusterLoad([localityLoad('a', { successful: '7' })], { clusterName: '=cmd("x"), y' }),
      ]),
    );
    const answered = await api().totals(loadTotalsQuery.parse({ format: 'csv' }));
    if (!('csv' in answered)) throw new Error('expected CSV');
    const [head, row] = answered.csv.split('\r\n');
    expect(head).toMatch(/^from,to,name,cluster,/);
    expect(row).toContain('"\'=cmd(""x""), y"');
    expect(row).toContain(',7,0,');
  });

  test.each([
    [{ step: '7s' }, 'step: expected one of 1s'],
    [{ measure: 'speed' }, 'measure'],
    [{ by: 'planet' }, 'by'],
    [{ from: '2026-01-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }, 'from: expected a time before to'],
    [{ from: '2020-01-01T00:00:00Z', step: '1s' }, 'step: expected at most 3000 steps'],
  ])('rejects %j', async (query, message) => {
    await expect(series(query)).rejects.toThrow(message);
  });
});
