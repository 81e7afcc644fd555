import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { LoadSplit, LoadTotalsAnswer } from '@/lib/views/load/schema';
import type { SourcePage } from '@/lib/views/sources/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient, type Story, startStory } from '../../support/e2e-story';
import { freePort } from '../../support/free-port';
import { lrsClient } from '../../support/lrs-client';
import { waitUntil } from '../../support/wait-until';

let story: Story;
let lrs: string;
let client: ClientSummary;

beforeAll(async () => {
  lrs = `127.0.0.1:${await freePort()}`;
  story = await startStory(['--lab', '--no-background-faults', '--lrs-listen', lrs, '--lrs-interval', '1s']);
  client = await findClient(story, 'shop-web');
  await waitUntil('the client reports', async () => toEurope(await measured(0)) > 0, patienceMs);
});
afterAll(() => story.end());

/** P0 has two zones in Europe, P1 one in America. */
const cluster = 'catalog-stable';
const zones = { a: 'eu-west1-a', b: 'eu-west1-b', america: 'us-east1-b' } as const;
/** The interval at which the lab's clients report. */
const reportMs = 1_000;
const patienceMs = 120_000;

async function post<T>(path: string, body: unknown): Promise<T> {
  const answer = await sendJson('POST', `${story.server.url}/api/v1/${path}`, body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

/** Completed requests of the client by zone. */
async function measured(from: number): Promise<Map<string, number>> {
  const query = new URLSearchParams({
    ...{ by: 'locality', cluster, client: client.id },
    from: new Date(from).toISOString(),
  });
  const { groups } = await getJson<LoadTotalsAnswer>(`${story.server.url}/api/v1/load/totals?${query}`);
  return new Map(
    groups.map(({ key, totals }) => [
      key.locality?.zone ?? '',
      Number(totals.successful) + Number(totals.errors),
    ]),
  );
}

type Count = (requests: ReadonlyMap<string, number>) => number;
const toEurope: Count = (requests) => (requests.get(zones.a) ?? 0) + (requests.get(zones.b) ?? 0);
const toAmerica: Count = (requests) => requests.get(zones.america) ?? 0;
/** The newest config epoch. */
const newestOf = ({ epochs }: LoadSplit) => epochs[0]?.lines ?? [];

/** The split since now, once it has enough requests to tell the expected one from an equal one. */
async function splitOfPeriod(zone: string, expected: number): Promise<LoadSplit> {
  const query = new URLSearchParams({ client: client.id, cluster, from: new Date().toISOString() });
  return waitUntil(
    'enough requests were measured',
    async () => {
      const split = await getJson<LoadSplit>(`${story.server.url}/api/v1/load/split?${query}`);
      const line = newestOf(split).find(({ name }) => name.includes(zone));
      const isExpected = Math.abs((line?.expected ?? 0) - expected) < 0.001;
      return isExpected && (line?.chance?.to ?? 1) < 0.45 && split;
    },
    patienceMs,
  );
}

/** Waits for a period with at least 10 requests of which none is unwanted. */
async function untilOnly(what: string, wanted: Count, unwanted: Count): Promise<void> {
  let since = Date.now();
  await waitUntil(
    what,
    async () => {
      const requests = await measured(since);
      if (unwanted(requests) > 0) since = Date.now();
      return unwanted(requests) === 0 && wanted(requests) >= 10;
    },
    patienceMs,
  );
}

const reportSince = (at: number) =>
  waitUntil('a client reports meanwhile', async () => toEurope(await measured(at)) > 0, patienceMs);

describe('load as real clients report it', () => {
  it('has the interval of --lrs-interval', async () => {
    const { items } = await getJson<SourcePage>(`${story.server.url}/api/v1/sources`);
    const asking = items.filter(({ kind }) => kind === 'lrs').map(({ intervalMs }) => intervalMs);
    expect(asking).toEqual([reportMs, reportMs]);
  });

  it('is drawn by locality, and the URL contains the selection', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/load`);
    await page.getByRole('combobox', { name: 'Cluster' }).selectOption(cluster);
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('locality');
    const row = page.getByRole('row').filter({ hasText: zones.a });
    await row.getByRole('img', { name: /^Requests of .*: [\d.]+ \/s$/ }).waitFor({ timeout: patienceMs });
    await waitUntil('all of it is in the address', async () => {
      const { searchParams } = new URL(page.url());
      return searchParams.get('cluster') === cluster && searchParams.get('by') === 'locality';
    });
    await page.reload();
    await row.getByRole('img', { name: /^Requests of/ }).waitFor();
    await page.getByRole('link', { name: 'Traffic matrix' }).click();
    await page.getByRole('columnheader', { name: `to ${zones.a}` }).waitFor();
    await page.getByRole('link', { name: 'Reporters' }).click();
    await page.getByRole('link', { name: 'shop-web' }).waitFor();
    await page.close();
  });

  it('grows as reports arrive, until it is paused', async () => {
    const page = await story.newPage();
    const asked: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/v1/load/series') asked.push(url);
    });
    const grid = page.getByRole('table', { name: 'Locality over time' });
    for (const place of [`/clients/${client.id}/load?by=locality`, `/load?cluster=${cluster}&by=locality`]) {
      await page.goto(`${story.server.url}${place}`);
      await grid.getByRole('row').filter({ hasText: zones.a }).waitFor({ timeout: patienceMs });
      asked.length = 0;
      // 1. It is read again after events of the stream.
      await waitUntil('it was read twice', () => asked.length >= 2, patienceMs);
    }
    // 2. While it is paused nothing is read.
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    const heldTo = () => new URL(page.url()).searchParams.get('to') ?? '';
    // Addresses of pages have ISO times, requests have EpochMs.
    const isPausedRange = ({ searchParams }: URL) =>
      Number(searchParams.get('to') ?? Number.NaN) === Date.parse(heldTo());
    await waitUntil('where it is held is in the address', () => heldTo() !== '');
    await waitUntil('the paused range is read', () => asked.some(isPausedRange));
    await grid.getByRole('row').filter({ hasText: zones.a }).waitFor();
    const before = asked.length;
    for (const _report of [1, 2]) await reportSince(Date.now());
    // The timer of an event from before the pause may read the paused range once more.
    const later = asked.slice(before);
    expect(later.length).toBeLessThanOrEqual(1);
    expect(later.every(isPausedRange)).toBe(true);
    const shared = await story.newPage();
    await shared.goto(page.url());
    await shared.getByText('paused', { exact: true }).waitFor();
    const totals = async (on: typeof page) =>
      on.getByRole('table', { name: 'Locality over time' }).locator('[data-totals]').allInnerTexts();
    const shown = await totals(page);
    await waitUntil('who is given the link sees the same', async () => {
      const reported = await totals(shared);
      return reported.length > 0 && reported.join() === shown.join();
    });
    await shared.close();
    await page.getByRole('button', { name: 'Follow' }).click();
    await waitUntil('it is read again', () => asked.length > before + later.length, patienceMs);
    expect(heldTo()).toBe('');
    await page.close();
  });

  // The pauses of the tables are tested in tests/app/stream/invalidator.test.ts.
  it('has tables that are read again as reports arrive, until they are paused', async () => {
    const page = await story.newPage();
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      // This request fills the list of clusters.
      if (!/load\/(totals|split)$/.test(pathname) || searchParams.get('by') === 'cluster') return;
      asked.push(searchParams);
    });
    for (const [view, reported] of [
      ['reporters', 'shop-web'],
      ['places', 'clients in'],
      [`split&client=${client.id}&cluster=${cluster}`, zones.a],
    ] as const) {
      await page.goto(`${story.server.url}/load?view=${view}`);
      const row = page.getByRole('row').filter({ hasText: reported }).first();
      await row.waitFor({ timeout: patienceMs });
      asked.length = 0;
      await waitUntil('it is read again, twice', () => asked.length >= 2, patienceMs);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      const isPausedRange = (search: URLSearchParams) => search.get('to') !== null;
      await waitUntil('the paused range is read', () => asked.some(isPausedRange));
      for (const _report of [1, 2]) await reportSince(Date.now());
      // The timer of an event from before the pause may read the paused range once more.
      const later = asked.slice(asked.findIndex(isPausedRange));
      expect(later.length).toBeLessThanOrEqual(2);
      expect(later.every(isPausedRange)).toBe(true);
    }
    await page.close();
  });

  it('shows endpoints, priorities and metrics of the simulated sidecar, which reports them', async () => {
    const [lab, page] = [await story.newPage(), await story.newPage()];
    await page.goto(`${story.server.url}/load?by=metric`);
    await page.getByText('No custom metrics were reported').waitFor();
    await lab.goto(`${story.server.url}/lab`);
    await lab.getByRole('button', { name: 'Start shop-sidecar' }).click();
    const stop = lab.getByRole('button', { name: 'Stop shop-sidecar' });
    await stop.waitFor();
    for (const [by, text] of [
      ['metric', 'answer_ms'],
      ['endpoint', '127.0.0.1:'],
      ['priority', 'priority 0'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Group by' }).selectOption(by);
      const row = page.getByRole('row').filter({ hasText: text }).first();
      await row.locator('[data-value]').first().waitFor({ timeout: patienceMs });
    }
    await page.close();
    await stop.click();
    await lab.getByRole('button', { name: 'Start shop-sidecar' }).waitFor();
    await lab.close();
  });

  it('states with the newest reports that a limit applied', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/load?view=newest`);
    const newest = page.getByRole('region', { name: 'Latest reports' });
    await newest.getByText('shop-web').first().waitFor({ timeout: patienceMs });
    const notice = newest.getByText(/^Expected at most .* 1.024 characters of a name; .* are added up as/);
    expect(await notice.count()).toBe(0);
    const reporter = lrsClient(lrs);
    reporter.send({ node: { id: 'long-names' } });
    reporter.send({
      clusterStats: [
        {
          clusterName: 'n'.repeat(2_000),
          loadReportInterval: { seconds: 1 },
          upstreamLocalityStats: [{ locality: { zone: 'a' }, totalSuccessfulRequests: 3 }],
        },
      ],
    });
    await notice.waitFor({ timeout: patienceMs });
    reporter.end();
    await page.close();
  });

  it('is split by the weights, within the bounds of chance', async () => {
    // 1. Weights 20 to 80.
    for (const [zone, weight] of [
      [zones.a, 20],
      [zones.b, 80],
    ] as const) {
      await post(`lab/assignments/${cluster}`, { zone, weight });
    }
    // 2. Chance marks at most one of 1,000 periods, and requests of before the weights only the first one.
    const isWithin = (each: LoadSplit) => newestOf(each).every(({ verdict }) => verdict === 'within');
    let split = await splitOfPeriod(zones.a, 0.2);
    for (let period = 2; period <= 4 && !isWithin(split); period++) split = await splitOfPeriod(zones.a, 0.2);
    expect(split).toSatisfy(isWithin);
    // 3. The page shows the same.
    const page = await story.newPage();
    const { from = 0, to = 0 } = split.epochs[0] ?? {};
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const query = new URLSearchParams({ view: 'split', client: client.id, cluster, ...range });
    await page.goto(`${story.server.url}/load?${query}`);
    const line = page.getByRole('row').filter({ hasText: zones.b });
    // The measured share may be that by weight.
    await line.getByRole('cell', { name: '80.0%', exact: true }).first().waitFor();
    await line.getByText('as expected').filter({ visible: true }).waitFor();
    await page.close();
    for (const zone of [zones.a, zones.b]) await post(`lab/assignments/${cluster}`, { zone, weight: 100 });
  });

  it('moves to America at the second of the simulation when Europe fails, and returns', async () => {
    // 1. The simulator predicts an immediate failover.
    const { moments } = await post<FailoverSimulation>('failover/simulate', {
      client: client.id,
      cluster,
      changes: [{ kind: 'condition', at: 5, target: { priority: 0 }, to: 'dead' }],
    });
    const moved = moments.find(({ grpc }) => grpc.chosen === 1 && grpc.outcome === 'served');
    expect(moved?.second).toBe(5);

    // 2. Europe stops. After a while all reports are of America.
    await post(`lab/assignments/${cluster}`, { priority: 0, running: false });
    await untilOnly('America has all of it', toAmerica, toEurope);

    // 3. Europe starts again, and receives all requests.
    await post(`lab/assignments/${cluster}`, { priority: 0, running: true });
    await untilOnly('Europe has all of it again', toEurope, toAmerica);
    // 4. The pages show it.
    const page = await story.newPage();
    await page.goto(
      `${story.server.url}/load?by=locality&cluster=${cluster}&client=${encodeURIComponent(client.id)}`,
    );
    await page.getByRole('row').filter({ hasText: zones.america }).waitFor();
    await page.goto(`${story.server.url}/clients/${client.id}/failover?cluster=${cluster}`);
    // EDS, the simulation and the load reports of the client are shown together.
    const happened = page.getByRole('region', { name: 'Failover history' });
    await happened.locator('text', { hasText: 'LRS' }).waitFor({ timeout: patienceMs });
    for (const turn of ['failover', 'return'])
      await happened.getByText(turn, { exact: true }).first().waitFor();
    await happened
      .getByText(/^measured: .*P1 \d+%/)
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: patienceMs });
    await page.close();
    expect(story.pageErrors).toEqual([]);
  });
});
