import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClient } from '../../support/e2e-story';
import { clientPages, fleetPages } from '../../support/pages';
import { isLong } from '../../support/runs';
import { closePage, openPage, story, visit } from '../../support/shared-lab';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const allLooks = [
  { colorScheme: 'light', size: wide },
  { colorScheme: 'dark', size: narrow },
  { colorScheme: 'dark', size: wide },
  { colorScheme: 'light', size: narrow },
] as const;
/** A theme and a width each are enough for every change; the long tests combine them. */
const looks = isLong ? allLooks : allLooks.slice(0, 2);

let page: Page;
let clientId: string;

async function findViolations(path: string): Promise<string[]> {
  await visit(page, path);
  await page.locator('main h1').first().waitFor();
  // The title follows the content.
  await page.waitForFunction(
    () => document.title !== '' && document.querySelector('[aria-busy="true"]') === null,
  );
  const found: string[] = [];
  for (const { colorScheme, size } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    const { violations } = await page.evaluate<AxeResults, readonly string[]>(
      (tags) => Reflect.get(globalThis, 'axe').run(document, { runOnly: tags, resultTypes: ['violations'] }),
      rules,
    );
    for (const { id, nodes } of violations) {
      const first = nodes[0];
      found.push(
        `${path}, ${colorScheme}, ${size.width} px: ${id}, ${nodes.length} elements, as ${first?.html.slice(0, 160)}: ${first?.failureSummary?.slice(0, 300)}`,
      );
    }
  }
  return found;
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
    page = await openPage('/');
    await page.evaluate(axeSource);
  });
  afterAll(() => closePage());

  it('has no violation of WCAG 2.2 AA that axe finds', async () => {
    const violations: string[] = [];
    for (const path of [...fleetPages, ...clientPages(`/clients/${clientId}`)])
      violations.push(...(await findViolations(path)));
    expect(violations).toEqual([]);
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
