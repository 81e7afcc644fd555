import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeLoadReport } from '@/server/collect/lrs/decode-load-report';
import { capturesDir } from '@/tests/support/builders/codec-corpus';
import { runs } from '@/tests/support/runs';
import { encodeMessage } from '../../../support/builders/xds-wire';

function clustersOf(...clusterStats: Record<string, unknown>[]) {
  const result = decodeLoadReport(
    encodeMessage('envoy.service.load_stats.v3.LoadStatsRequest', { clusterStats }),
  );
  if (result.kind !== 'report') throw new Error(result.reason);
  return result.clusters;
}

const localityOf = (upstreamLocalityStats: Record<string, unknown>) =>
  clustersOf({ clusterName: 'c', upstreamLocalityStats: [upstreamLocalityStats] })[0]?.localities[0];

describe('decodeLoadReport', () => {
  test('keeps 64-bit counters exact, as decimal text', () => {
    const largest = '18446744073709551615';
    expect(
      localityOf({ totalSuccessfulRequests: largest, totalRequestsInProgress: '9007199254740993' }),
    ).toMatchObject({ successful: largest, inProgress: '9007199254740993', errors: '0' });
    expect(clustersOf({ totalDroppedRequests: largest })[0]?.totalDropped).toBe(largest);
  });

  test('reads localities, priorities and drops by category', () => {
    const [cluster] = clustersOf({
      clusterName: 'cart',
      clusterServiceName: 'cart-eds',
      totalDroppedRequests: 10,
      droppedRequests: [
        { category: 'lb', droppedCount: 4 },
        { category: 'throttle', droppedCount: 3 },
      ],
      upstreamLocalityStats: [
        { locality: { region: 'eu', zone: 'eu-1', subZone: 'r' }, priority: 1, totalErrorRequests: 2 },
        { totalSuccessfulRequests: 1, totalIssuedRequests: 1 },
      ],
      loadReportInterval: { seconds: 1, nanos: 37_864_108 },
    });
    expect(cluster).toEqual({
      clusterName: 'cart',
      clusterServiceName: 'cart-eds',
      intervalMs: 1_037.864108,
      totalDropped: '10',
      dropped: [
        { category: 'lb', count: '4' },
        { category: 'throttle', count: '3' },
      ],
      localities: [
        {
          locality: { region: 'eu', zone: 'eu-1', subZone: 'r' },
          priority: 1,
          successful: '0',
          errors: '2',
          issued: null,
          inProgress: '0',
        },
        {
          locality: { region: '', zone: '', subZone: '' },
          priority: 0,
          successful: '1',
          errors: '0',
          issued: '1',
          inProgress: '0',
        },
      ],
    });
  });

  test('reads metrics, endpoints and connections where they are reported', () => {
    const metric = { metricName: 'queue', numRequestsFinishedWithMetric: 2, totalMetricValue: 0.5 };
    expect(
      localityOf({
        totalNewConnections: 3,
        totalFailConnections: 1,
        totalActiveConnections: 2,
        loadMetricStats: [metric, { metricName: 'odd', totalMetricValue: Number.POSITIVE_INFINITY }],
        cpuUtilization: { numRequestsFinishedWithMetric: 1, totalMetricValue: 0.9 },
        upstreamEndpointStats: [
          {
            address: { socketAddress: { address: '::1', portValue: 80 } },
            totalErrorRequests: 4,
            loadMetricStats: [metric],
          },
          { address: { pipe: { path: '/run/x' } } },
        ],
      }),
    ).toMatchObject({
      ...{ newConnections: '3', failedConnections: '1', activeConnections: '2' },
      metrics: [
        { name: 'queue', count: '2', sum: 0.5 },
        { name: 'odd', count: '0', sum: null },
        { name: 'cpu_utilization', count: '1', sum: 0.9 },
      ],
      endpoints: [
        {
          address: '[::1]:80',
          errors: '4',
          issued: null,
          metrics: [{ name: 'queue', count: '2', sum: 0.5 }],
        },
        { address: 'unix:/run/x', successful: '0', issued: '0' },
      ],
    });
  });

  const issued: { title: string; stats: Record<string, unknown>; expected: string | null }[] = [
    { title: 'as reported', stats: { totalSuccessfulRequests: 2, totalIssuedRequests: 5 }, expected: '5' },
    {
      title: 'null where requests ended and none was reported',
      stats: { totalSuccessfulRequests: 2 },
      expected: null,
    },
    { title: 'null where only errors were reported', stats: { totalErrorRequests: 2 }, expected: null },
    { title: '0 in an idle window', stats: { totalRequestsInProgress: 3 }, expected: '0' },
  ];
  for (const { title, stats, expected } of issued) {
    test(`issued is ${title}`, () => expect(localityOf(stats)?.issued).toBe(expected));
  }

  const intervals: { title: string; interval: unknown; expected: number | null }[] = [
    { title: 'unset', interval: undefined, expected: null },
    { title: 'zero', interval: {}, expected: null },
    { title: 'negative', interval: { seconds: -5 }, expected: null },
    {
      title: 'the 292 years of grpc-go',
      interval: { seconds: '9223372036', nanos: 854_775_807 },
      expected: null,
    },
    { title: 'below a second', interval: { nanos: 999_622_000 }, expected: 999.622 },
    { title: 'a whole day', interval: { seconds: 86_400 }, expected: 86_400_000 },
  ];
  for (const { title, interval, expected } of intervals) {
    test(`an interval that is ${title} reads as ${expected}`, () => {
      expect(clustersOf({ loadReportInterval: interval })[0]?.intervalMs).toBe(expected);
    });
  }

  test('bytes that are no LoadStatsRequest are a reason, not an exception', () => {
    expect(decodeLoadReport(Buffer.from('GET / HTTP/1.1'))).toMatchObject({
      kind: 'malformed',
      reason: expect.stringMatching(/^expected a LoadStatsRequest, got 14 bytes that do not decode/),
    });
  });
});

/** LoadStatsRequest as the corpus has it in proto3 JSON. */
interface ReportJson {
  clusterStats?: {
    clusterName: string;
    totalDroppedRequests?: string;
    upstreamLocalityStats?: {
      totalSuccessfulRequests?: string;
      totalErrorRequests?: string;
      totalRequestsInProgress?: string;
    }[];
  }[];
}

describe('what real clients report', () => {
  for (const client of ['go164', 'js', 'py151']) {
    const dir = path.join(capturesDir, client);
    const files = readdirSync(dir).filter((file) => /^lrs-req-\d+\.bin$/.test(file));
    const reports = files.map((file) => {
      const result = decodeLoadReport(readFileSync(path.join(dir, file)));
      if (result.kind !== 'report') throw new Error(`${file}: ${result.reason}`);
      const json: ReportJson = JSON.parse(
        readFileSync(path.join(dir, file.replace('.bin', '.protojson.json')), 'utf8'),
      );
      return { file, result, json };
    });

    test(`${client}: all ${files.length} decode to what their JSON says`, () => {
      expect(reports.length).toBeGreaterThan(0);
      for (const { file, result, json } of reports) {
        const reported = result.clusters.map(({ clusterName, totalDropped, localities }) => ({
          clusterName,
          totalDropped,
          localities: localities.map(({ successful, errors, inProgress }) => ({
            successful,
            errors,
            inProgress,
          })),
        }));
        const expected = (json.clusterStats ?? []).map((stats) => ({
          clusterName: stats.clusterName,
          totalDropped: stats.totalDroppedRequests ?? '0',
          localities: (stats.upstreamLocalityStats ?? []).map((each) => ({
            successful: each.totalSuccessfulRequests ?? '0',
            errors: each.totalErrorRequests ?? '0',
            inProgress: each.totalRequestsInProgress ?? '0',
          })),
        }));
        expect(reported, file).toEqual(expected);
      }
    });

    test(`${client}: only the first message names the node`, () => {
      expect(reports.map(({ result }) => result.node !== null)).toEqual(
        reports.map((_each, index) => index === 0),
      );
    });

    test(`${client}: intervals are about a second, or not reported`, () => {
      const intervals = reports.flatMap(({ result }) => result.clusters.map(({ intervalMs }) => intervalMs));
      for (const intervalMs of intervals.filter((each) => each !== null)) {
        expect(intervalMs).toBeGreaterThan(100);
        expect(intervalMs).toBeLessThan(10_000);
      }
      expect(intervals.includes(null)).toBe(client === 'go164');
    });

    test(`${client}: issued is ${client === 'go164' ? 'never' : 'always'} reported`, () => {
      const issued = reports.flatMap(({ result }) =>
        result.clusters.flatMap(({ localities }) =>
          localities.filter(({ successful, errors }) => successful !== '0' || errors !== '0'),
        ),
      );
      expect(issued.length).toBeGreaterThan(0);
      expect(issued.every((each) => (each.issued === null) === (client === 'go164'))).toBe(true);
    });
  }

  test('rejects invalid bytes with a reason, and never throws anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(['report', 'malformed']).toContain(decodeLoadReport(bytes).kind);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
