import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../support/e2e-browser';
import { findClient, openWithToken } from '../../support/e2e-story';
import { openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

/**
 * Reads the choices on a page: fields, pressed, selected, sorted and expanded elements, and pan and zoom of the
 * graph. Values that follow the clock are not part of it.
 */
function readChoices(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const nameOf = (element: Element) =>
      element.getAttribute('aria-label') ??
      element.getAttribute('data-row-id') ??
      (element.textContent ?? '').replace(/[\d,.]+/g, '');
    const states = ['aria-pressed', 'aria-selected', 'aria-current', 'aria-checked', 'aria-sort', 'open'];
    const chosen = states.flatMap((state) =>
      [...document.querySelectorAll(`#main [${state}]:not([${state}="false"], [${state}="none"])`)].map(
        (element) => `${state} ${element.getAttribute(state)}: ${nameOf(element).slice(0, 80)}`,
      ),
    );
    const fields = [...document.querySelectorAll('#main :is(input, select)')].map((field) => {
      const { labels, value, type, checked } = field as HTMLInputElement;
      const name = field.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? '';
      return `${name}: ${type === 'checkbox' || type === 'radio' ? checked : value}`;
    });
    const viewports = [...document.querySelectorAll('#main [aria-label^="Configuration graph"] > g')].map(
      (group) =>
        (group.getAttribute('transform') ?? '').replace(/-?\d+\.?\d*/g, (number) =>
          String(Math.round(Number(number) * 10) / 10),
        ),
    );
    return [...chosen, ...fields, ...viewports].sort();
  });
}

/** Waits until neither the choices nor the URL, which follows them, change any more; returns the choices. */
async function settledChoices(page: Page): Promise<string[]> {
  let before = { text: '', at: 0 };
  return waitUntil('the page is settled', async () => {
    const choices = await readChoices(page);
    const text = JSON.stringify([page.url(), choices]);
    if (text !== before.text) before = { text, at: Date.now() };
    const isSettled = choices.length > 0 && Date.now() - before.at >= 600;
    return isSettled && (await page.getByText('Loading').count()) === 0 ? choices : undefined;
  });
}

interface ViewState {
  readonly title: string;
  /** "ID" is the id of a client. */
  readonly path: string;
  /** Chooses what the URL must keep. */
  readonly choose: (page: Page) => Promise<void>;
}

const views: readonly ViewState[] = [
  {
    title: 'the graph: find, pan and zoom, legend',
    path: '/clients/ID/graph',
    async choose(page) {
      await page.getByLabel('Find in the graph').fill('cart');
      await page.getByRole('region', { name: 'Graph' }).getByRole('button', { name: 'Zoom in' }).click();
      await page.waitForURL((url) => url.searchParams.has('view'));
      await page
        .getByRole('button', { name: /legend/i })
        .first()
        .click();
    },
  },
  {
    title: 'resources: filter, order and the format of the inspector',
    path: '/clients/ID/resources',
    async choose(page) {
      await page.getByLabel('Filter resources').fill('cart');
      await page.getByRole('button', { name: /^Size/ }).first().click();
      await page.locator('[data-row-id]').first().click();
      await page.getByRole('region', { name: 'Inspector' }).getByText('JSON', { exact: true }).click();
    },
  },
  {
    title: 'the effective config by another profile',
    path: '/clients/ID/resolved',
    async choose(page) {
      await page.getByLabel('Client profile').first().selectOption({ index: 2 });
    },
  },
  {
    title: 'what-if changes of the simulator',
    path: '/clients/ID/failover?cluster=catalog-stable',
    async choose(page) {
      const whatIf = page.getByRole('region', { name: 'What if' });
      const condition = whatIf.getByLabel(/^Condition of /).first();
      const before = await condition.inputValue();
      await condition.selectOption({ index: 1 });
      await expect.poll(() => condition.inputValue()).not.toBe(before);
    },
  },
  {
    title: 'clients: filter, order and grouping',
    path: '/clients',
    async choose(page) {
      await page.getByLabel('Filter clients').fill('shop');
      await page.getByRole('combobox', { name: 'Group by' }).selectOption({ index: 1 });
    },
  },
  {
    title: 'history: filter and event',
    path: '/history',
    async choose(page) {
      await page.getByLabel('Filter events').fill('cart');
      await page.locator('[data-row-id]').first().click();
    },
  },
  {
    title: 'load: grouping and time range',
    path: '/load?from=now-15m',
    async choose(page) {
      await page.getByRole('combobox', { name: 'Group by' }).selectOption('client');
    },
  },
  {
    title: 'a moment of the past',
    path: '/clients/ID/resources',
    async choose(page) {
      await page.getByRole('button', { name: 'Previous event' }).click();
      await page.getByText('Viewing the past').waitFor();
    },
  },
  {
    title: 'the sides of a comparison',
    path: '/compare?left=client/ID&right=client/ID',
    async choose(page) {
      await page.getByRole('group', { name: 'B', exact: true }).getByText('Sent', { exact: true }).click();
    },
  },
];

let fresh: BrowserContext;
let clientId = '';

describe('a copied URL shows the same view to somebody else', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
    fresh = await openContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    await openWithToken(fresh, story.server);
  });
  afterAll(() => fresh.close());

  it.each(views)('$title', async ({ path, choose }) => {
    const page = await openPage(path.replaceAll('ID', clientId));
    const before = await settledChoices(page);
    await choose(page);
    const chosen = await settledChoices(page);
    expect(chosen, 'nothing was chosen').not.toEqual(before);
    const other = await fresh.newPage();
    await other.goto(page.url());
    await expect.poll(() => readChoices(other), { interval: 300 }).toEqual(chosen);
    await other.close();
  });
});
