import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadReported, LocalityLoad } from '@/lib/observation/observation';
import { createCodec } from '@/server/codec/codec';
import { createLoadReportReceiver, type LoadReportReceiver } from '@/server/collect/lrs/load-report-receiver';
import { LabBackends } from '@/server/lab/backends/lab-backends';
import { LoadReporter, spreadRequests } from '@/server/lab/load-reporter/load-reporter';
import { reportedMetrics } from '@/server/lab/load-reporter/load-tally';
import { seededRandom } from '@/server/lab/random';
import { initialShopState, type ShopState } from '@/server/lab/shop/shop-state';
import { systemClock } from '@/server/observe';
import { patienceMs } from '@/tests/support/patience';

const zones = { a: 'catalog-stable-eu-west1-a', b: 'catalog-stable-eu-west1-b' } as const;

describe("the targets of the reporter's requests", () => {
  const sharesOf = (change: Partial<ShopState>) => {
    const shares = spreadRequests('catalog-stable', { ...initialShopState, ...change });
    return Object.fromEntries(shares.map(({ backend, share }) => [backend, Math.round(share * 1e4) / 1e4]));
  };

  it('follow the weights while a whole priority is healthy', () => {
    expect(sharesOf({})).toEqual({ [`${zones.a}-1`]: 0.25, [`${zones.a}-2`]: 0.25, [`${zones.b}-1`]: 0.5 });
    const localityWeights = new Map([
      ['catalog-stable P0 eu-west1-a', 20],
      ['catalog-stable P0 eu-west1-b', 80],
    ]);
    expect(sharesOf({ localityWeights })).toMatchObject({ [`${zones.a}-1`]: 0.1, [`${zones.b}-1`]: 0.8 });
  });

  it('spill what overprovisioning does not cover: one of three is 33%, times 1.4 is 46%', () => {
    const unhealthy = new Set([`${zones.a}-1`, `${zones.a}-2`]);
    expect(sharesOf({ unhealthy })).toEqual({
      [`${zones.b}-1`]: 0.46,
      'catalog-stable-us-east1-b-1': 0.54,
    });
  });
});

describe('the simulated load reporter', () => {
  const backends = new LabBackends({
    ...{ clock: systemClock, seed: 1, emitEvent: () => undefined, onHealth: () => undefined },
    onServing: () => undefined,
  });
  const seen: LoadReported[] = [];
  let hasEnded = false;
  let receiver: LoadReportReceiver;
  let target: string;
  let state = initialShopState;
  const reporter = new LoadReporter({
    ...{ clock: systemClock, random: seededRandom(1), onChange: () => undefined },
    state: () => state,
    portOf: (name) => backends.portOf(name),
  });

  beforeAll(async () => {
    await backends.start(28_100);
    receiver = createLoadReportReceiver({
      ...{ sourceId: 'lrs', clock: systemClock, codec: createCodec({ redactionKey: new Uint8Array(32) }) },
      request: { intervalMs: 500, endpoints: true },
      observe: ({ observation }) => {
        if (observation.kind === 'load-reported') seen.push(observation);
        else if (observation.kind === 'stream-closed') hasEnded = true;
      },
      onStatus: () => {},
    });
    receiver.start();
    target = await receiver.listen({ port: 0 });
  });
  afterAll(async () => {
    reporter.stop();
    await receiver.close();
    backends.close();
  });

  const placesOf = (cluster: string): LocalityLoad[] =>
    seen
      .flatMap(({ clusters }) => clusters.filter((each) => each.clusterName === cluster))
      .flatMap(({ localities }) => localities);
  const sum = (numbers: readonly string[]) => numbers.reduce((total, each) => total + Number(each), 0);

  it('reports the results of its requests over a real stream: by endpoint, with metrics and drops', async () => {
    state = { ...initialShopState, dropPercents: new Map([['recommendations', 50]]) };
    expect(reporter.process().state).toBe('stopped');
    reporter.start(target);
    await expect
      .poll(() => sum(placesOf('cart').map(({ successful }) => successful)), soon)
      .toBeGreaterThan(20);
    expect(seen[0]?.node.id).toBe(reporter.process().name);
    for (const { successful, endpoints = [], metrics = [] } of placesOf('catalog-stable')) {
      expect(sum(endpoints.map((each) => each.successful))).toBe(Number(successful));
      if (Number(successful) === 0) continue;
      expect(metrics.map(({ name }) => name)).toEqual([...reportedMetrics]);
      for (const metric of metrics) expect(Number(metric.count)).toBe(Number(successful));
    }
    const drops = seen.flatMap(({ clusters }) => clusters).flatMap(({ dropped }) => dropped);
    expect(new Set(drops.map(({ category }) => category))).toEqual(new Set(['throttle']));
  });

  it('sends requests where Envoy would when endpoints die, and reports their priority', async () => {
    state = { ...state, unhealthy: new Set(['cart-eu-west1-a-1', 'cart-eu-west1-b-1']) };
    const before = seen.length;
    await expect
      .poll(
        () =>
          seen
            .slice(before + 1)
            .flatMap(({ clusters }) => clusters.filter(({ clusterName }) => clusterName === 'cart'))
            .flatMap(({ localities }) => localities)
            .filter(({ issued }) => Number(issued) > 0)
            .map(({ priority }) => priority),
        soon,
      )
      .toContain(1);
  });

  it('ends its stream when it is stopped', async () => {
    reporter.stop();
    const { state, pid } = reporter.process();
    expect([state, pid]).toEqual(['stopped', undefined]);
    await expect.poll(() => hasEnded, soon).toBe(true);
  });

  const soon = { timeout: patienceMs(60_000), interval: 50 };
});
