import { describe, expect, it } from 'vitest';
import type { NackDetail, NackGroupRow, NackPage } from '@/lib/views/nacks/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

async function setFault(name: string, active: boolean): Promise<void> {
  expect((await sendJson('POST', api(`lab/faults/${name}`), { active })).status).toBe(200);
}

function findGroup(name: string, holds: (group: NackGroupRow) => boolean): Promise<NackGroupRow> {
  return waitUntil(
    `a NACK of ${name}`,
    async () => {
      const { items } = await getJson<NackPage>(api(`nacks?resource=${name}`));
      return items.find((group) => group.name === name && holds(group));
    },
    labStartMs,
  );
}

let routes: NackGroupRow;
let cart: NackGroupRow;
let before: NackDetail;

describe('NACKs in the lab', () => {
  it('two kinds of bad resource make two groups, with their clients', async () => {
    await findClient(story, 'shop-web');
    await findClient(story, 'shop-mobile');
    await setFault('zero-weights', true);
    await setFault('priority-gap', true);
    routes = await findGroup('web-routes', ({ state }) => state === 'open');
    cart = await findGroup('cart', ({ clients }) => clients.open === 2);
    expect(routes.someClients.map(({ nodeId }) => nodeId)).toEqual(['shop-web']);
    expect(cart.someClients.map(({ nodeId }) => nodeId).sort()).toEqual(['shop-mobile', 'shop-web']);

    const page = await openPage('/nacks?state=open');
    const table = page.getByRole('table', { name: 'Equal NACKs by group' });
    await table.getByText('web-routes').first().waitFor();
    await table
      .getByText(/sum of weights is 0/)
      .first()
      .waitFor();
    await table.getByText('cart', { exact: true }).first().waitFor();
    await page.getByRole('combobox', { name: 'Filter NACKs' }).fill('sum of weights');
    await table.getByText('cart', { exact: true }).first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=sum');
    await table.getByRole('link', { name: 'web-routes' }).click();
    await page.waitForURL(new RegExp(`/nacks/${routes.id}`));
  });

  it('a group shows the error message, the payload with the rejected field marked, and our findings', async () => {
    const detail = await waitUntil('the tap and CSDS have reported it', async () => {
      const found = await getJson<NackDetail>(api(`nacks/${routes.id}`));
      return found.group.vantages.length === 2 && found;
    });
    expect(detail.group.vantages).toEqual(['csds', 'tap']);
    expect(detail.group.times, 'one NACK, reported twice').toBe(1);
    expect(detail.payload?.role).toBe('rejected');
    expect(detail.accepted).toBeDefined();
    expect(detail.statements[0]?.field?.path).toMatch(
      /^virtualHosts\[0\]\.routes\[\d+\]\.route\.weightedClusters/,
    );
    expect(detail.findings.length).toBeGreaterThan(0);
    expect(detail.clients[0]).toMatchObject({ nodeId: 'shop-web' });
    expect(detail.clients[0]?.ended).toBeUndefined();

    const page = await openPage(`/nacks/${routes.id}`);
    await page
      .getByRole('region', { name: 'Error message' })
      .getByText(/sum of weights is 0/)
      .first()
      .waitFor();
    await page.locator('[data-marked]').first().waitFor();
    expect(await page.locator('[data-marked]').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/weight/)]),
    );
    await page.getByRole('region', { name: 'Validation' }).getByText('weightedClusters').first().waitFor();
  });

  it('the payload is searched and folded in the editor, which keeps the mark', async () => {
    const page = await openPage(`/nacks/${routes.id}`);
    const text = page.getByRole('textbox', { name: 'Payload of web-routes' });
    await text.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('weight');
    await page.locator('.cm-searchMatch').first().waitFor();
    await page.locator('.cm-marked-line').first().waitFor();
    await visit(page, `/nacks/${routes.id}`);
    await page.locator('[data-fold]').first().click();
    await page.locator('.cm-foldPlaceholder').waitFor();
    expect(await page.locator('.cm-foldPlaceholder').count()).toBe(1);
  });

  it('opens with the marked field and the title visible, at 1440 and 390 pixels', async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      const page = await openPage('/nacks');
      await page.setViewportSize(viewport);
      await visit(page, `/nacks/${routes.id}`);
      await page.locator('[data-marked]').first().waitFor();
      const inSight = await waitUntil('the field is in sight, with the title', async () => {
        const field = await page.locator('[data-marked]').first().boundingBox();
        const title = await page.getByRole('heading', { level: 1 }).boundingBox();
        const bar = await page.getByRole('banner').first().boundingBox();
        if (field === null || title === null || bar === null) return undefined;
        const isFieldSeen = field.y >= title.y + title.height && field.y + field.height <= viewport.height;
        return isFieldSeen && title.y >= bar.y + bar.height && title.y >= 0 && { field, title };
      });
      expect(inSight.title.y).toBeLessThan(inSight.field.y);
    }
  });

  it('shows the diff of the payload in use and the rejected one', async () => {
    const { before, payload } = await getJson<NackDetail>(api(`nacks/${routes.id}`));
    expect(before?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(before?.hash).not.toBe(payload?.hash);
    const page = await openPage(`/nacks/${routes.id}`);
    await page.getByRole('radio', { name: 'Before → rejected' }).click();
    const changes = page.getByRole('region', { name: 'What changed in web-routes' });
    await changes.locator('.cm-changedLine', { hasText: 'weight: 0' }).first().waitFor();
    expect(page.url()).toContain('body=before-rejected');
  });

  it('is resolved by the next version that the client accepts, on the open page and after a reload', async () => {
    const page = await openPage(`/nacks/${routes.id}`);
    const clients = page.getByRole('table', { name: 'Clients that rejected it' });
    await clients.getByText('still rejects it').waitFor();
    await setFault('zero-weights', false);
    await clients.getByText(/by version/).waitFor();
    const { clients: reported, payload } = await getJson<NackDetail>(api(`nacks/${routes.id}`));
    const by = reported[0]?.ended?.by;
    if (by?.kind !== 'accepted') throw new Error(`expected to be resolved by a version, got ${by?.kind}`);
    expect(by.versionInfo).not.toBe('');
    expect(by.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(payload?.hash, 'the rejected body is still known').not.toBe(by.hash);
    await clients.getByText(by.versionInfo, { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Rejected → resolved' }).click();
    await page.getByRole('region', { name: 'What changed in web-routes' }).waitFor();
    await page.reload();
    await clients.getByText(by.versionInfo, { exact: true }).waitFor();
    await setFault('priority-gap', false);
  });
});

const readBefore = async () => {
  before = await getJson<NackDetail>(api(`nacks/${routes.id}`));
};

describeWithoutLab(
  'NACKs of before the restart',
  () => {
    it('keep their groups, their ids and what resolved them', async () => {
      const after = await waitUntil('the log is read', async () => {
        const { restoring } = await getJson<NackPage>(api('nacks'));
        return !restoring && (await getJson<NackDetail>(api(`nacks/${routes.id}`)));
      });
      expect(after.group).toEqual(before.group);
      expect(after.clients).toEqual(before.clients);
      expect(after.payload).toEqual(before.payload);
      const { state } = await findGroup('cart', ({ id }) => id === cart.id);
      expect(['open', 'resolved']).toContain(state);
    });
  },
  readBefore,
);
