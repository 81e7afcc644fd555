import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permalink } from '@/lib/api/schema';
import { getJson } from '../support/e2e-server';
import { findClient, type Story, startStory } from '../support/e2e-story';

let story: Story;

/** The closed details of the sync status may contain the same text. */
const rejectedRow = (page: Page) =>
  page
    .getByText(/unsupported lb_policy|MAGLEV/)
    .filter({ visible: true })
    .first();

beforeAll(async () => {
  story = await startStory(['--lab', '--no-background-faults']);
}, 120_000);
afterAll(() => story.end());

describe('a permalink', { timeout: 180_000 }, () => {
  it('shows the same picture after a restart with the lab gone', async () => {
    const client = await findClient(story, 'shop-checkout');
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients/${client.id}/resources?status=NACKED`);
    await rejectedRow(page).waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = page.getByRole('dialog').getByRole('link');
    const href = await link.getAttribute('href');
    const path = new URL(href ?? '').pathname;
    expect(path).toMatch(/^\/p\/[A-Za-z0-9_-]{22}$/);
    const before = await getJson<Permalink>(`${story.server.url}/api/v1/permalinks/${path.slice(3)}`);

    await story.restart(['--no-lab']);
    const after = await getJson<Permalink>(`${story.server.url}/api/v1/permalinks/${path.slice(3)}`);
    expect(after).toEqual(before);
    await page.goto(`${story.server.url}${path}`);
    await page
      .getByText(/stored/i)
      .first()
      .waitFor();
    await rejectedRow(page).waitFor();
    await page.getByText('fraud-detection').first().click();
    await page.getByRole('region', { name: 'Inspector' }).waitFor();
    await page.close();
  });

  it('with an unknown id is a clear 404', async () => {
    const page = await story.newPage();
    const response = await page.goto(`${story.server.url}/p/AAAAAAAAAAAAAAAAAAAAAA`);
    expect(response?.status()).toBe(404);
    expect((await fetch(`${story.server.url}/api/v1/permalinks/AAAAAAAAAAAAAAAAAAAAAA`)).status).toBe(404);
    await page.close();
  });

  it('leaves what was known of the clients as stale, not as live', async () => {
    const client = await findClient(story, 'shop-checkout');
    expect(client.freshness).toBe('stale');
    expect(story.pageErrors).toEqual([]);
  });
});
