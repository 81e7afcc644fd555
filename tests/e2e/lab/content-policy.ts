import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { fetchApi, getJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { closePage, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

let page: Page;
let clientId: string;
/** Violations of the policy, and errors on the console. */
const violations: string[] = [];

const open = async (path: string): Promise<void> => {
  const response = await page.goto(story.server.url + path);
  expect(response?.status(), path).toBe(200);
  await currentPlace().waitFor();
};

const currentPlace = (): Locator => page.locator('nav[aria-label="Places"] [aria-current="page"]').first();

const displayOf = (place: Locator): Promise<string> =>
  place.first().evaluate((element) => getComputedStyle(element).display);

describe('the content security policy', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
    page = await openPage('/');
    page.on('console', (message) => {
      if (message.type() === 'error')
        violations.push(`${page.url()}: ${message.text()} ${message.location().url}`);
    });
  });
  afterAll(async () => {
    await page.evaluate(() => localStorage.clear());
    await closePage();
  });

  it('permits the styles of the graph and the editor, also after a navigation without a load', async () => {
    const held = await waitUntil('the client holds a resource with a body', async () => {
      const { items } = await getJson<{ items: ResourceRowJson[] }>(
        `${story.server.url}/api/v1/clients/${clientId}/resources`,
      );
      return items.find(({ hash }) => hash !== null);
    });
    await open(`/clients/${clientId}`);
    await page.locator('svg.topology .node').first().waitFor();
    const boxWidth = () =>
      page
        .locator('svg.topology .node .box')
        .first()
        .evaluate((box) => getComputedStyle(box).strokeWidth);
    expect(await boxWidth()).toMatch(/^[12]px$/);
    await page
      .getByRole('link', { name: /^Resources/ })
      .first()
      .click();
    const resources = page.getByRole('table', { name: 'Resources' });
    await resources.getByText(held.name, { exact: true }).click();
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Search in the content' }).click();
    const editor = inspector.locator('.cm-scroller');
    await editor.first().waitFor();
    expect(await displayOf(editor)).toBe('flex');
    await visit(page, '/lab');
    await page.getByRole('button', { name: 'Add resource' }).click();
    await page.locator('.cm-scroller').first().waitFor();
    expect(await displayOf(page.locator('.cm-scroller'))).toBe('flex');
    expect(violations).toEqual([]);
  });

  it('applies the theme before the first paint, and when it is switched', async () => {
    await open('/');
    const themeOf = () => page.evaluate(() => document.documentElement.dataset.theme ?? 'system');
    expect(await themeOf()).toBe('system');
    await page.getByRole('button', { name: /^Theme: / }).click();
    const chosen = await themeOf();
    expect(['light', 'dark']).toContain(chosen);
    await open('/sources');
    expect(await themeOf()).toBe(chosen);
    expect(violations).toEqual([]);
  });

  it('blocks scripts that are added to a page', async () => {
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken over"';
      document.body.append(script);
      const image = document.createElement('div');
      image.innerHTML = '<img src="data:," onerror="document.title = \'taken over\'">';
      document.body.append(image);
    });
    await expect.poll(() => violations.filter((text) => text.includes('inline')).length).toBeGreaterThan(1);
    expect(await page.title()).not.toContain('taken over');
    violations.length = 0;
    story.pageErrors.length = 0;
  });

  it('is sent with headers that isolate the origin', async () => {
    for (const path of ['/', '/theme.js', '/api/v1/health', '/api/v1/nothing']) {
      const { headers } = await fetchApi(story.server.url + path);
      expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
      expect(headers.get('content-security-policy'), path).toMatch(/script-src 'self' 'nonce-[^']+';/);
    }
  });
});
