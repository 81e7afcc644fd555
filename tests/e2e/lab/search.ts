import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HoldersAnswer } from '@/lib/views/search/schema';
import { getJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, closePage, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

let page: Page;

const holdersOf = (name: string) => getJson<HoldersAnswer>(api(`holders?type=CDS&name=${name}`));
const searchBox = () => page.getByRole('combobox', { name: /^Search resources, clients/ });
const options = () => page.getByRole('listbox', { name: 'Choices' }).getByRole('option');

describe('search', () => {
  beforeAll(async () => {
    await findClient(story, 'shop-web');
    await waitUntil('a client holds it', async () => (await holdersOf('payment-v1')).holders > 0, labStartMs);
    page = await openPage('/nacks');
  });
  afterAll(closePage);

  it('lists who holds a resource, after two actions on any page', async () => {
    await page.keyboard.press('/');
    await searchBox().fill('payment-v1');
    const first = options().filter({ hasText: 'payment-v1' }).first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/^CDS\s*payment-v1\s*held by \d+ (?:of \d+ )?clients?/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?resource=CDS%3Apayment-v1$/);
    const { items, clients, holders } = await holdersOf('payment-v1');
    const who = holders < clients ? `${holders} of ${clients}` : String(clients);
    await page.getByText(`Held by ${who} client`).waitFor();
    const rows = page.getByRole('table', { name: 'Clients that have the resource' }).locator('[data-row-id]');
    await waitUntil('all are listed', async () => (await rows.count()) === items.length);
    const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row-id')));
    expect(ids).toEqual(items.map(({ clientId }) => clientId));
    // The title follows the page.
    await expect.poll(() => page.title()).toBe('payment-v1 - Search - xdscope');

    const [holder] = items;
    await rows.first().getByRole('link').click();
    await page.waitForURL(`**/clients/${holder?.clientId}/resources?resource=CDS%3Apayment-v1`);
  });

  it('keeps what is typed while its dialog is loaded', async () => {
    const fresh = await story.newPage();
    await fresh.goto(`${story.server.url}/compare/rules`);
    await fresh.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
    const held: Route[] = [];
    let holds = true;
    await fresh.route('**/_next/static/chunks/*.js', (route) => {
      if (!holds) return route.continue();
      held.push(route);
    });
    await fresh.keyboard.press('/');
    await fresh.keyboard.type('pay/mm');
    await fresh.keyboard.press('Backspace');
    expect(held.length).toBeGreaterThan(0);
    holds = false;
    for (const route of held) await route.continue();
    const box = fresh.getByRole('combobox', { name: /^Search resources, clients/ });
    await box.waitFor();
    expect(await box.inputValue()).toBe('pay/m');
    await fresh.close();
  });

  it('completes a filter, states what is not valid in it, and keeps it in the URL', async () => {
    await visit(page, '/clients');
    const field = page.getByRole('combobox', { name: 'Filter clients' });
    await field.waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('stat');
    await page.getByRole('option', { name: /^status/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('ack');
    await page.getByRole('option', { name: 'ACKED', exact: true }).click();
    expect(await field.inputValue()).toBe('status=ACKED ');
    await page.waitForURL(/\/clients\?q=status%3DACKED|\/clients\?q=status=ACKED/);
    await field.fill('zone=a colour=red x');
    await page.getByText(/colour=red at character 8: no filter is called "colour"/).waitFor();
    await field.fill('');
  });

  it('opens a client at a typed time, compares it with ten minutes ago, and lists the keys', async () => {
    const { id } = await findClient(story, 'shop-web');
    await visit(page, `/clients/${id}/resources`);
    await page.keyboard.press('Control+k');
    await searchBox().fill('now-1s');
    await options().filter({ hasText: 'Show this view at this time' }).click();
    await page.waitForURL(/resources\?at=\d{4}-/);
    await page.keyboard.press('/');
    await searchBox().fill('compare with 10');
    await options().filter({ hasText: 'Compare with 10 minutes ago' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/compare\\?left=client%2F${id}%40`));
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('Previous and next event').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
  });

  it('offers recent choices, and fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, '/nacks');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('group', { name: 'Recent' }).getByText('payment-v1').waitFor();
    const dialog = await page.getByRole('dialog', { name: 'Search' }).boundingBox();
    expect(dialog).toMatchObject({ x: 0, width: 390 });
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
