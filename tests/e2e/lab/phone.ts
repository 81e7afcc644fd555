import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { NackPage } from '@/lib/views/nacks/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { phone, tooWideTables, waitUntilFits } from '../../support/phone-width';
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

describe('on a phone, in the dark', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
    await sendJson('POST', api('lab/faults/zero-weights'), { active: true });
    page = await openPage('/');
    await page.setViewportSize(phone);
    await page.emulateMedia({ colorScheme: 'dark' });
  });
  afterAll(async () => {
    await closePage();
    await sendJson('POST', api('lab/faults/zero-weights'), { active: false });
  });

  it('pages of NACKs and pushes with many facts fit the width', async () => {
    const { groupId, seq } = await firstNack();
    const places: readonly (readonly [path: string, table: RegExp])[] = [
      [`/nacks/${groupId}`, /Clients that rejected it/],
      ['/pushes?type=CDS&resource=cart', /Clients/],
    ];
    for (const [path, table] of places) {
      await visit(page, path);
      await page.getByRole('table', { name: table }).first().waitFor();
      await waitUntilFits(page, path);
      expect(await tooWideTables(page), path).toEqual([]);
    }
    await visit(page, `/clients/${clientId}/history?event=${seq}`);
    await page
      .getByRole('region', { name: 'Event', exact: true })
      .getByText('sum of weights')
      .first()
      .waitFor();
    await waitUntilFits(page, 'history');
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
    expect(room.height).toBeLessThan(0.62 * phone.height);
    const empty = await table.evaluate((element) => {
      const scroller = element.parentElement?.getBoundingClientRect();
      return document.documentElement.scrollHeight - window.scrollY - (scroller?.bottom ?? 0);
    });
    expect(empty).toBeLessThan(60);
  });
});
