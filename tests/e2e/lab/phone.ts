import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryPage } from '@/lib/api/history';
import type { NackPage } from '@/lib/api/nacks';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, closePage, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

let page: Page;
let clientId: string;

async function firstNack(): Promise<{ readonly groupId: string; readonly seq: number }> {
  return waitUntil(
    'the NACK is known',
    async () => {
      const { items } = await getJson<NackPage>(api('nacks'));
      const groupId = items.find(({ name }) => name === 'web-routes')?.id;
      const nacks = await getJson<HistoryPage>(
        api(`history?client=${clientId}&kind=nack-sent&error=sum%20of%20weights`),
      );
      const seq = nacks.items[0]?.seq;
      return groupId !== undefined && seq !== undefined && { groupId, seq };
    },
    labStartMs,
  );
}

const isWithinScreen = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left >= -1 && right <= window.innerWidth + 1;
  });

/** Tables that are wider than their container, with the excess in pixels. */
const tooWideTables = (): Promise<string[]> =>
  page.locator('table[aria-label]').evaluateAll((tables) =>
    tables.flatMap((table) => {
      const room = table.parentElement?.clientWidth ?? 0;
      const tooMuch = table.scrollWidth - room;
      return tooMuch > 1 ? [`${table.getAttribute('aria-label')}: ${tooMuch} px`] : [];
    }),
  );

describe('on a phone, in the dark', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
    await sendJson('POST', api('lab/faults/zero-weights'), { active: true });
    page = await openPage('/');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
  });
  afterAll(async () => {
    await closePage();
    await sendJson('POST', api('lab/faults/zero-weights'), { active: false });
  });

  it('pages and their tables fit the width, and the current place of the navigation is visible', async () => {
    const { groupId, seq } = await firstNack();
    const places: readonly (readonly [path: string, table: string])[] = [
      ['/history', 'Events'],
      [`/clients/${clientId}/history`, 'Events'],
      ['/nacks', 'Equal NACKs'],
      [`/nacks/${groupId}`, 'Clients that rejected it'],
      ['/pushes', 'Newest pushes'],
      ['/pushes?type=CDS&resource=cart', 'Clients'],
      ['/pushes?view=resources', 'Resources that change most'],
      ['/sources', ''],
      [`/clients/${clientId}/resolved?list=tears`, ''],
    ];
    for (const [path, table] of places) {
      await visit(page, path);
      await page.locator('nav[aria-label="Places"] [aria-current="page"]').waitFor();
      if (table !== '')
        await page
          .getByRole('table', { name: new RegExp(table) })
          .first()
          .waitFor();
      // Drawings take their width after the first paint.
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: path })
        .toBe(390);
      expect(await tooWideTables(), path).toEqual([]);
      await waitUntil(`${path}: the current places are in sight`, async () => {
        const current = page.locator('nav [aria-current="page"]');
        const seen = await Promise.all((await current.all()).map(isWithinScreen));
        return seen.length > 0 && seen.every((is) => is);
      });
    }
    await visit(page, `/clients/${clientId}/history?event=${seq}`);
    await page
      .getByRole('region', { name: 'Event', exact: true })
      .getByText('sum of weights')
      .first()
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it('History has room for its table below the lanes, and no empty space below the table', async () => {
    await visit(page, '/history');
    const lanes = page.getByRole('region', { name: 'Timeline' });
    await lanes.waitFor();
    const table = page.getByRole('table', { name: 'Events' });
    await table.waitFor();
    const room = await waitUntil('the lanes are drawn', async () => {
      const box = await lanes.boundingBox();
      return box !== null && box.height > 100 && box;
    });
    expect(room.height).toBeLessThan(0.62 * 844);
    const empty = await table.evaluate((element) => {
      const scroller = element.parentElement?.getBoundingClientRect();
      return document.documentElement.scrollHeight - window.scrollY - (scroller?.bottom ?? 0);
    });
    expect(empty).toBeLessThan(60);
  });
});
