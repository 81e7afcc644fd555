import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeConfigTears } from '../../support/config-tears';
import { fetchApi } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { clientPages, fleetPages } from '../../support/pages';
import { phone, tooWideTables, waitUntilFits } from '../../support/phone-width';
import { isLong } from '../../support/runs';
import { closePage, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const wide = { width: 1440, height: 900 };
const allLooks = [
  { colorScheme: 'light', size: wide },
  { colorScheme: 'dark', size: phone },
  { colorScheme: 'dark', size: wide },
  { colorScheme: 'light', size: phone },
] as const;
/** A theme and a width each are enough for every change; the long tests combine them. */
const looks = isLong ? allLooks : allLooks.slice(0, 2);

let page: Page;
let clientId: string;
/** Errors on the console, such as those of the content security policy. */
const consoleErrors: string[] = [];

/** The tags in the HTML of a page that its policy blocks. React and Next escape < and > within attributes and scripts. */
async function findBlocked(path: string): Promise<string[]> {
  const response = await fetchApi(story.server.url + path);
  expect(response.status, path).toBe(200);
  const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1];
  const tags = (await response.text()).match(/<[a-z][^>]*>/gi) ?? [];
  expect(tags.filter((tag) => tag.includes(` nonce="${nonce}"`)).length, path).toBeGreaterThan(1);
  return tags.filter((tag) => {
    if (/ on[a-z]+=/i.test(tag)) return true;
    if (!/^<(?:script|style|link [^>]*rel="stylesheet")/i.test(tag)) return false;
    return !tag.includes(` nonce="${nonce}"`) && !/ (?:src|href)="\/(?!\/)/.test(tag);
  });
}

async function findFaults(path: string): Promise<string[]> {
  // A navigation takes a quarter of the processor time of a load: what a load adds to it is in the HTML.
  if (isLong) await page.goto(story.server.url + path);
  else await visit(page, path);
  const blocked = findBlocked(path);
  await page.locator('main h1').first().waitFor();
  // The title follows the content.
  await page.waitForFunction(
    () => document.title !== '' && document.querySelector('[aria-busy="true"]') === null,
  );
  const found: string[] = [];
  for (const { colorScheme, size } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    // An animation is canceled if a live update removes its element.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    const { violations } = await page.evaluate<AxeResults, readonly string[]>(
      (tags) => Reflect.get(globalThis, 'axe').run(document, { runOnly: tags, resultTypes: ['violations'] }),
      rules,
    );
    if (size === phone) {
      await waitUntilFits(page, path);
      found.push(...(await tooWideTables(page)).map((table) => `${path}: too wide: ${table}`));
    }
    for (const { id, nodes } of violations) {
      const first = nodes[0];
      found.push(
        `${path}, ${colorScheme}, ${size.width} px: ${id}, ${nodes.length} elements, as ${first?.html.slice(0, 160)}: ${first?.failureSummary?.slice(0, 300)}`,
      );
    }
  }
  return [...found, ...(await blocked)];
}

/** Presses Tab until the element with the focus matches, and Enter on the skip link; returns how often Tab. */
async function countTabsTo(selector: string, most: number): Promise<number> {
  for (let tabs = 1; tabs <= most; tabs += 1) {
    await page.keyboard.press('Tab');
    const isSkipLink = (await page.locator(':focus').textContent()) === 'Skip to the table or graph';
    if (isSkipLink) await page.keyboard.press('Enter');
    if (await page.locator(':focus').evaluate((element, wanted) => element.matches(wanted), selector))
      return tabs;
  }
  throw new Error(`${selector} has no focus after ${most} Tabs`);
}

describe('every page', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
    // The timeline of this client has marks that are too close to be hit apart.
    await makeConfigTears(clientId);
    page = await openPage('/');
    page.on('console', (message) => {
      if (message.type() === 'error')
        consoleErrors.push(`${page.url()}: ${message.text()} ${message.location().url}`);
    });
    await page.addInitScript(axeSource);
    await page.evaluate(axeSource);
  });
  afterAll(() => closePage());

  it('has no violation of WCAG 2.2 AA that axe finds, fits a phone, and violates no content policy', async () => {
    const faults: string[] = [];
    for (const path of [...fleetPages, ...clientPages(`/clients/${clientId}`)])
      faults.push(...(await findFaults(path)));
    expect(faults).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  it('has one target for config tears that are too close to be hit apart on a phone, which lists them', async () => {
    await page.setViewportSize(phone);
    await visit(page, `/clients/${clientId}/history`);
    const targets = page.getByRole('group', { name: 'Config tears' }).getByRole('button');
    const merged = targets.filter({ hasText: /^\d+$/ }).last();
    await merged.waitFor();
    const count = Number(await merged.textContent());
    expect(await merged.getAttribute('aria-label')).toMatch(
      new RegExp(`^${count} config tears, first: a (route|cluster)`),
    );
    for (const target of await targets.all()) {
      const { width = 0, height = 0 } = (await target.boundingBox()) ?? {};
      expect([width, height].map((px) => px >= 24)).toEqual([true, true]);
    }
    await merged.press('Enter');
    const listed = page.getByText(/^Config tear:/);
    await waitUntil('they are listed', async () => (await listed.count()) === Math.min(4, count));
  });

  it('states that a client has no view of this name', async () => {
    const response = await page.goto(`${story.server.url}/clients/${clientId}/no-view`);
    expect(response?.status()).toBe(404);
    await page.getByText('A client has no view named “no-view”.').waitFor();
  });

  it('leads to the graph within 10 Tabs, and to the first client within 8', async () => {
    await page.setViewportSize(wide);
    await page.goto(`${story.server.url}/clients/${clientId}/graph`);
    await page.locator('svg [data-id]').first().waitFor();
    expect(await countTabsTo('svg [data-id]', 10)).toBeLessThanOrEqual(10);
    await page.goto(`${story.server.url}/clients`);
    await page.locator('tr[data-row-id]').first().waitFor();
    expect(await countTabsTo('tr[data-row-id]', 8)).toBeLessThanOrEqual(8);
  });
});
