import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '@/lib/format/count';
import type { CohortsAnswer, FleetPage } from '@/lib/views/fleet/schema';
import { type CsdsServer, startCsdsServer } from '../support/csds-server';
import { openContext } from '../support/e2e-browser';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { patienceMs } from '../support/patience';
import { isLong } from '../support/runs';
import { response, SimulatedFleet, simulatedNode } from '../support/simulated-fleet';
import { waitUntil } from '../support/wait-until';

const clients = isLong ? 10_000 : 2_000;
const planes = 4;
/** Three clients with clusters of the previous generation: of different teams and versions, in one zone. */
const late = [411, 912, 1_813];
/** Clients in the same zone with the current clusters. */
const neighbours = (index: number): boolean => index % (clients / 8) === 7;

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-fleet-'));
const controlPlanes: CsdsServer[] = [];
let server: RunningServer;
let context: BrowserContext;
let page: Page;
const pageErrors: string[] = [];

/** The CSDS answer of one control plane about its share of the clients. */
function answerOf(plane: number): Buffer {
  const count = clients / planes;
  const fleet = new SimulatedFleet({
    clients: count,
    first: plane * count,
    resources: 4,
    answerBytes: 1_400,
    lagOf: (index) => (late.includes(index) ? 1 : 0),
    nodeOf: (index) => {
      const isNear = late.includes(index) || neighbours(index);
      return { ...simulatedNode(index), ...(isNear && { locality: { region: 'eu', zone: 'eu-1d' } }) };
    },
  });
  return response(Array.from({ length: count }, (_, index) => fleet.configOf(index)));
}

beforeAll(async () => {
  const targets: string[] = [];
  for (let plane = 0; plane < planes; plane++) {
    const answer = answerOf(plane);
    const peer = await startCsdsServer(() => answer);
    controlPlanes.push(peer);
    targets.push('--csds', `127.0.0.1:${peer.target.port}`);
  }
  [server, context] = await Promise.all([
    startServer([...targets, '--csds-interval', '60s', '--data-dir', dataDir]),
    openContext({ viewport: { width: 1440, height: 900 } }),
  ]);
  await waitUntil(
    'all clients are there',
    async () => (await getJson<FleetPage>(`${server.url}/api/v1/fleet?limit=0`)).total.clients === clients,
    180_000,
  );
  page = await context.newPage();
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.setDefaultTimeout(patienceMs(60_000));
});

afterAll(async () => {
  await context?.close();
  await server?.stop();
  for (const peer of controlPlanes) peer.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a fleet of thousands of clients, three of them late', () => {
  it('shows the three and what they have in common', async () => {
    const reported = await getJson<CohortsAnswer>(`${server.url}/api/v1/cohorts`);
    expect(reported).toMatchObject({ total: 2, alike: clients - late.length, differ: late.length });
    expect(reported.separators[0]).toMatchObject({
      field: 'zone',
      value: 'eu-1d',
      inside: 3,
      outside: 8,
      isWeak: false,
    });

    await page.goto(`${server.url}/clients/cohorts`);
    await page.getByRole('heading', { name: `${formatCount(clients - 3)} identical, 3 differ` }).waitFor();
    await page
      .getByRole('link', { name: `3 of 3 have zone=eu-1d; 8 of ${formatCount(clients - 3)} others do` })
      .first()
      .waitFor();
    for (const index of late) await page.getByRole('link', { name: simulatedNode(index).id }).waitFor();
    await page.getByRole('link', { name: 'Compare with the largest cohort' }).click();
    await page.getByText('outbound|80||service-0.shop').first().waitFor();
  });

  it('links from the late ones to their list', async () => {
    await page.goto(`${server.url}/clients/cohorts`);
    await page.getByRole('link', { name: '3 clients', exact: true }).click();
    await page.getByText(`3 of ${formatCount(clients)} clients`).waitFor();
    await waitUntil(
      'the list has the late ones and nobody else',
      async () => (await page.locator('[data-row-id]').count()) === late.length || undefined,
    );
  });

  it('scrolls, filters by metadata and groups by keyboard, and the URL contains it', async () => {
    await page.goto(`${server.url}/clients?sort=client`);
    const first = page.getByRole('link', { name: 'shop-000000' });
    await first.waitFor();
    await page.locator('[data-row-id][tabindex="0"]').focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: simulatedNode(clients - 1).id }).waitFor();
    // If the row is not loaded yet, the client at its place has the focus.
    await page.waitForFunction(() => /shop-00[19]999/.test(document.activeElement?.textContent ?? ''));
    expect(await page.locator('[data-row-id]').count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await first.waitFor();

    // The scroll position is restored when one comes back from a client.
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('shop-'));
    const left = await page.evaluate(() => document.activeElement?.getAttribute('data-row-id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/clients\/\w+$/);
    await page.goBack();
    await page.waitForFunction((id) => document.activeElement?.getAttribute('data-row-id') === id, left);

    await page.keyboard.press('f');
    await page.keyboard.type('meta.pool~s zone=eu-1d');
    await page.getByText(`of ${formatCount(clients)} clients`).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('meta.pool');
    await page.getByText('in 2 groups').waitFor();
    await page.locator('[data-row-id][tabindex="0"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('[data-row-id]').length > 2);
    await page.waitForURL(/q=meta\.pool.*group=meta\.pool.*open=/);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('[data-row-id]').length > 2);
    expect(pageErrors).toEqual([]);
  });

  it('shows sizes by keyboard, from all clients down to the fields of one resource', async () => {
    await page.goto(`${server.url}/clients/sizes?group=none`);
    for (const [level, query] of [
      ['client', /client=/],
      ['type', /client=.*type=/],
      ['resource', /client=.*type=.*name=/],
    ] as const) {
      const table = page.getByRole('table', { name: `Bytes by ${level}` });
      const row = table.locator('[data-row-id]').first();
      await row.waitFor();
      await row.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(query);
    }
    await page.getByRole('table', { name: 'Bytes by field' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('img', { name: /^Bytes by field; the largest is / }).waitFor();
    await page.getByRole('link', { name: 'all clients' }).click();
    await page.getByText('No response near 4 MiB').waitFor();
    await page.getByRole('table', { name: 'Bytes by client' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('draws groups of clients, which link to their clients', async () => {
    await page.goto(`${server.url}/clients/sizes`);
    await page
      .getByRole('heading', { name: `in ${formatCount(clients)} clients, in 20 groups by cluster` })
      .waitFor();
    const groups = page.getByRole('table', { name: 'Bytes by group' });
    await groups
      .locator('[data-row-id="cluster=team-7"]')
      .getByText(formatCount(clients / 20))
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('zone');
    await page.waitForURL(/group=zone/);
    await groups.locator('[data-row-id="zone=eu-1d"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=zone/);
    await page.getByRole('table', { name: 'Bytes by client' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('states that no identity is doubtful, and that no source reports certificates', async () => {
    await page.goto(`${server.url}/clients/identity`);
    await page.locator('#main').getByText('No duplicate node IDs').waitFor();
    await page.getByRole('radio', { name: /^Disconnected 0/ }).click();
    await page.waitForURL(/kind=vanished/);
    await page.getByText('No disconnected clients').waitFor();
    await page.getByText('No certificates reported').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
