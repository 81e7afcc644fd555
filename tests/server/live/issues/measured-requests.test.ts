import { expect, it } from 'vitest';
import { describeFailingLoad } from '@/lib/facts/failing-endpoints';
import { describeMeasuredRequests } from '@/lib/facts/measured-requests';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import {
  noRequests,
  packRequests,
  type ReachedLimits,
  type RequestCounts,
} from '@/lib/observation/packed-requests';
import { MeasuredRequestsReader } from '@/server/live/issues/measured-requests';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { sampleNode } from '../../../support/builders/observation-samples';
import { openLoads } from '../../../support/open-loads';

const minute = 60_000;
const now = Date.parse('2026-11-26T20:10:00Z');
const endpoint = (address: string, successful: string, errors: string) => ({
  ...{ address, successful, errors, issued: null, inProgress: '0', metrics: [] },
});

/** A reader of the client web, whose Envoy counted these requests of cart in the last minute. */
async function readerOf(
  reports: readonly ReturnType<typeof loadReported>[],
  counted?: Partial<RequestCounts>,
  reachedLimits: ReachedLimits = new Map(),
  overTcp: readonly string[] = [],
): Promise<MeasuredRequestsReader> {
  const loads = await openLoads();
  for (const report of reports) loads.observe(report);
  const requests = packRequests({
    failing: new Map([
      ['cart', [{ from: now - minute, counts: { ...noRequests, ...counted }, failedAt: now - minute }]],
    ]),
    served: new Map([
      ['search', { from: now - minute, counts: { ...noRequests, completed: 7 }, failedAt: undefined }],
      ['old', { from: now - 6 * minute, counts: { ...noRequests, completed: 9 }, failedAt: undefined }],
    ]),
    all: [],
    overTcp: new Set(overTcp),
    allConnections: [],
  });
  const report: ClientReport = {
    ...{ sourceId: 'admin', vantage: 'envoy-admin', side: 'client', firstSeenAt: 0, lastChangedAt: 0 },
    ...{ goneAt: null, goneReason: '', resources: new Map() },
  };
  const client: ClientState = {
    ...{ clientId: 'web', node: sampleNode('web'), nodeSourceId: 'admin', scope: '', seq: 1 },
    reports: new Map([['admin', report]]),
  };
  return new MeasuredRequestsReader({
    ...{ clock: { now: () => now }, live: { world: new Map([['web', client]]) }, loads },
    requestsOf: () => (counted === undefined ? undefined : { ...requests, reachedLimits }),
  });
}

/** The text of each cluster. */
async function textsOf(...all: Parameters<typeof readerOf>): Promise<Record<string, string>> {
  const found = await (await readerOf(...all)).find('web');
  return Object.fromEntries([...found].map(([name, each]) => [name, describeMeasuredRequests(each)]));
}

it('states the failed requests of each cluster by the load reports of the client, and where every one failed', async () => {
  const zones = [
    localityLoad('a', {
      ...{ successful: '10', errors: '8' },
      endpoints: [endpoint('10.0.0.1:80', '10', '2'), endpoint('10.0.0.2:80', '0', '6')],
    }),
    localityLoad('b', { errors: '4' }),
  ];
  const search = clusterLoad([localityLoad('a', { successful: '9' })], { clusterName: 'search' });
  const users = clusterLoad([localityLoad('a', { successful: '6' }), localityLoad('b', { errors: '6' })], {
    clusterName: 'users',
  });
  expect(await textsOf([loadReported(now - minute, [clusterLoad(zones), search, users])])).toEqual({
    cart: '12 of 22 completed requests of the last 5 minutes failed, by load reports; every one to 10.0.0.2:80',
    search: 'none of 9 completed requests of the last 5 minutes failed, by load reports',
    users:
      '6 of 12 completed requests of the last 5 minutes failed, by load reports; every one to locality eu / b',
  });
});

it('leaves out other clients and older reports', async () => {
  const cart = [clusterLoad([localityLoad('a', { errors: '9' })])];
  expect(
    await textsOf([
      loadReported(now - minute, cart, { clientId: 'batch' }),
      loadReported(now - 20 * minute, cart),
    ]),
  ).toEqual({});
});

it('states the counters of an Envoy that reports no load', async () => {
  expect(await textsOf([], { completed: 20, failed: 20 })).toEqual({
    cart: '20 of 20 completed requests of the last 5 minutes failed, by the counters of Envoy',
    search: 'none of 7 completed requests within a minute failed, by the counters of Envoy',
  });
});

it('knows that each request fails where as many as are needed ended without an answer, and none had one', async () => {
  const failingOf = async (completed: number, unanswered: number) =>
    (await (await readerOf([], { completed, failed: completed, unanswered })).find('web')).get('cart')
      ?.failing;
  const failing = await failingOf(10, 10);
  expect(failing && describeFailingLoad(failing)).toBe(
    'every request of the last 5 minutes ended before the host answered, by the counters of Envoy',
  );
  expect(await failingOf(11, 10)).toBeUndefined();
  expect(await failingOf(9, 9)).toBeUndefined();
});

it('states no requests of a cluster whose connections count, and the connections that its circuit breaker rejects', async () => {
  const counted = { completed: 20, failed: 20, overflow: 20 };
  expect(Object.keys(await textsOf([], counted, new Map(), ['cart']))).toEqual(['search']);
  const reader = await readerOf([], counted, new Map(), ['cart']);
  expect([...reader.findBreakers('web')]).toEqual([['cart', { limits: [], isOfConnections: true }]]);
});

it('states that the circuit breaker of a cluster rejects requests, by its gauges or by what it rejected', async () => {
  const breakersOf = async (counted: Partial<RequestCounts>, reached?: ReachedLimits) => [
    ...(await readerOf([], counted, reached)).findBreakers('web'),
  ];
  expect(await breakersOf({ completed: 20, failed: 20 })).toEqual([]);
  expect(await breakersOf({ completed: 20, failed: 20, overflow: 3 })).toEqual([['cart', { limits: [] }]]);
  const reached = new Map([['cart', ['max_requests']]]);
  expect(await breakersOf({ completed: 20 }, reached)).toEqual([['cart', { limits: ['max_requests'] }]]);
});
