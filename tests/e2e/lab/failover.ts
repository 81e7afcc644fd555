import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import { fetchApi } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

/** P0 has three endpoints in two zones, P1 one in America. */
const cluster = 'catalog-stable';
const zone = 'eu-west1-a';

const grpcSide = (page: Page) => page.getByRole('region', { name: /^gRPC/ });
const envoySide = (page: Page) => page.getByRole('region', { name: 'Envoy', exact: true });
const query = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

async function post(path: string, method: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetchApi(`${story.server.url}/api/v1/${path}`, { method, headers, body: JSON.stringify(body) });
}

async function simulate(client: string): Promise<FailoverSimulation> {
  return (await post('failover/simulate', 'POST', { client, cluster })).json() as Promise<FailoverSimulation>;
}

async function openFailover(): Promise<{ page: Page; client: string }> {
  const client = await findClient(story, 'shop-web');
  const page = await openPage(`/clients/${client.id}/failover?cluster=${cluster}&both=true`);
  await grpcSide(page).getByText('3 of 3 endpoints are connected').waitFor();
  return { page, client: client.id };
}

describe('the Failover tab', () => {
  it('simulates that two of three primary endpoints fail', async () => {
    const { page } = await openFailover();
    await envoySide(page).getByText('P0 is taken as 100% healthy: it gets all requests.').waitFor();

    // 1. Both endpoints of a zone fail: gRPC stays at P0. Envoy has no health checks: it keeps sending to them.
    await page
      .getByRole('combobox', { name: new RegExp(`^Condition of P0, .*${zone}$`) })
      .selectOption('dead');
    await grpcSide(page)
      .getByText('P0 gets all requests: 1 of 3 endpoints is connected, and one is enough.')
      .waitFor();
    await envoySide(page)
      .getByText(/2 endpoints of P0 that reject connections stay in rotation.*67% of all requests/)
      .waitFor();
    await envoySide(page).locator('[data-flow="failing"][data-share="67%"]').waitFor();
    await envoySide(page).locator('[data-flow="P1"][data-share="0%"]').waitFor();
    await grpcSide(page).locator('[data-flow="P1"][data-share="0%"]').waitFor();

    // 2. The third one only connects slowly, from 5 s on: requests wait for 10 s, then P1 takes them.
    await page.getByRole('slider', { name: 'Second' }).fill('5');
    await page.getByRole('heading', { name: 'What if, at 5 s' }).waitFor();
    await page.getByRole('combobox', { name: 'Condition of P0', exact: true }).selectOption('slow');
    await grpcSide(page)
      .getByText(/Requests wait while P0 connects: 10 s are left/)
      .waitFor();
    await page.getByRole('button', { name: '15 s', exact: true }).click();
    await grpcSide(page).getByText('P0 did not connect within 10 s.').waitFor();
    await grpcSide(page).locator('[data-flow="P1"][data-share="100%"]').waitFor();

    // 3. The URL contains all of it: a reload and a permalink show the same.
    await waitUntil('the second is in the address', async () => query(page, 'second') === '15');
    await page.reload();
    await grpcSide(page).getByText('P0 did not connect within 10 s.').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    await visit(page, new URL(href ?? '').pathname);
    await page
      .getByText(/stored/i)
      .first()
      .waitFor();
    await grpcSide(page).getByText('P0 did not connect within 10 s.').waitFor();

    // 4. All changes can be undone.
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByRole('button', { name: '0 s', exact: true }).click();
    await grpcSide(page).getByText('3 of 3 endpoints are connected').waitFor();
  });

  it('opens another cluster, which is found by a part of its name', async () => {
    const { page } = await openFailover();
    await page.getByRole('combobox', { name: 'Cluster' }).fill('log-can');
    await page.getByRole('option', { name: 'catalog-canary' }).click();
    await waitUntil('the cluster is in the address', async () => query(page, 'cluster') === 'catalog-canary');
  });

  it('shows the LB policies with their endpoints and their configs', async () => {
    const { page } = await openFailover();
    const policies = page.getByRole('region', { name: 'LB policies' });
    await policies.locator('[data-row="endpoint"][data-used="true"]').first().waitFor();
    await policies.getByRole('link', { name: /^outlier_detection/ }).click();
    await policies.getByRole('heading', { name: 'outlier_detection', exact: true }).waitFor();
    await policies.getByText('"child_policy"').first().waitFor();
    await page.getByRole('combobox', { name: 'Client profile' }).selectOption('go-1.85');
    await policies.getByRole('link', { name: /^cds_experimental/ }).waitFor();
    await waitUntil('the profile is in the address', async () => query(page, 'profile') === 'go-1.85');
    // The page does not scroll.
    expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
  });

  it('shows that two of three primary backends of the lab stop and start again', async () => {
    const { page, client } = await openFailover();
    const names = [`${cluster}-${zone}-1`, `${cluster}-${zone}-2`];
    for (const name of names)
      expect((await post(`lab/backends/${name}`, 'POST', { running: false })).status).toBe(200);
    await envoySide(page).getByText('P0 is 33% healthy; times 1.4 is 46%; the other 54% go to P1.').waitFor();
    await grpcSide(page)
      .getByText(/P0 gets all requests/)
      .waitFor();
    const [moment] = (await simulate(client)).moments;
    expect(moment?.grpc.priorities.map(({ load }) => load)).toEqual([1, 0]);
    for (const name of names)
      expect((await post(`lab/backends/${name}`, 'POST', { running: true })).status).toBe(200);
    await grpcSide(page).getByText('3 of 3 endpoints are connected').waitFor();
    // The log contains the spill and its end.
    const happened = page.getByRole('region', { name: 'Failover history' });
    await happened.getByText('Envoy: P0 46%, P1 54%').first().waitFor();
    await happened.getByText('spill', { exact: true }).nth(1).waitFor();
    await happened.getByRole('img', { name: /^Which priority carried traffic when/ }).waitFor();
  });

  it('shows which leaf of an aggregate cluster is in use, and why, when the first one fails', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/failover?cluster=search`);
    const policies = page.getByRole('region', { name: 'LB policies' });
    const leaf = (name: string) => policies.getByRole('link', { name: new RegExp(`cluster "${name}"`) });
    await leaf('search-eu').getByText('● active').waitFor();
    await leaf('search-us').getByText('○ standby').waitFor();
    const eu = 'lab/assignments/search.eu-west1';
    expect((await post(eu, 'POST', { running: false })).status).toBe(200);
    await leaf('search-us').getByText('● active').waitFor();
    await leaf('search-eu').getByText('✕ failed').waitFor();
    const happened = page.getByRole('region', { name: 'Failover history' });
    await happened
      .getByText('search-eu P0 is skipped: none of its 2 endpoints is usable: 2 unhealthy')
      .waitFor();
    expect((await post(eu, 'POST', { running: true })).status).toBe(200);
    await leaf('search-eu').getByText('● active').waitFor();
    await happened.getByText('return', { exact: true }).waitFor();
    // Some leaf was usable at every time.
    expect(await happened.getByText('gRPC: none').count()).toBe(0);
  });
});
