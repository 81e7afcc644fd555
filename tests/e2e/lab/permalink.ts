import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Permalink } from '@/lib/views/permalinks/schema';
import { fetchApi, getJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story } from '../../support/shared-lab';

/** The closed details of the sync status may contain the same text. */
const rejectedRow = (page: Page) =>
  page
    .getByText(/unsupported lb_policy|MAGLEV/)
    .filter({ visible: true })
    .first();

let path = '';
let before: Permalink;

describe('a permalink', () => {
  it('is what the Share button makes', async () => {
    const client = await findClient(story, 'shop-checkout');
    const page = await openPage(`/clients/${client.id}/resources?status=NACKED`);
    await rejectedRow(page).waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = page.getByRole('dialog').getByRole('link');
    const href = await link.getAttribute('href');
    path = new URL(href ?? '').pathname;
    expect(path).toMatch(/^\/p\/[A-Za-z0-9_-]{22}$/);
    before = await getJson<Permalink>(api(`permalinks/${path.slice(3)}`));
  });
});

describeWithoutLab('a permalink', () => {
  it('shows the same picture', async () => {
    expect(await getJson<Permalink>(api(`permalinks/${path.slice(3)}`))).toEqual(before);
    const page = await openPage(path);
    await page
      .getByText(/stored/i)
      .first()
      .waitFor();
    await rejectedRow(page).waitFor();
    await page.getByText('fraud-detection').first().click();
    await page.getByRole('region', { name: 'Inspector' }).waitFor();
  });

  it('with an unknown id is a clear 404', async () => {
    for (const path of ['p', 'api/v1/permalinks']) {
      expect((await fetchApi(`${story.server.url}/${path}/AAAAAAAAAAAAAAAAAAAAAA`)).status, path).toBe(404);
    }
  });

  it('clients of before the restart are stale', async () => {
    const client = await findClient(story, 'shop-checkout');
    expect(client.freshness).toBe('stale');
  });
});
