import { describe, expect, it } from 'vitest';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { Source, SourcePage } from '@/lib/views/sources/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

async function findIstiod(): Promise<Source> {
  return waitUntil('the istiod of the lab answers', async () => {
    const { items } = await getJson<SourcePage>(api('sources'));
    return items.find(({ kind, state, clients }) => kind === 'istiod' && state === 'up' && clients > 0);
  });
}

function syncOf(clientId: string, service: string) {
  return getJson<ClientDetail>(api(`clients/${clientId}`)).then(({ sync = [] }) =>
    sync.flatMap(({ types }) => types).find((type) => type.service === service),
  );
}

describe('the lab as an istiod', () => {
  it('reports per client and type what was sent, acknowledged and rejected', async () => {
    const { id } = await findClient(story, 'shop-checkout');
    await findIstiod();
    const rejected = await waitUntil('istiod reports the NACK', async () => {
      const reported = await syncOf(id, 'CDS');
      return reported?.configStatus === 'ERROR' && reported.nonces !== undefined ? reported : undefined;
    });
    expect(rejected.error).toMatch(/lb_policy|MAGLEV/);
    expect(rejected.nonces?.acked).not.toBe(rejected.nonces?.sent);
    expect(await syncOf(id, 'LDS')).toMatchObject({ configStatus: 'SYNCED', error: '' });

    const page = await openPage(`/clients/${id}/resources`);
    await page.getByRole('button', { name: /^Live, \d+ sources/ }).click();
    await page.getByText(/istiod: CDS out of sync/).click();
    const table = page.getByRole('table').filter({ hasText: 'Nonces' });
    await table.getByText('ERROR', { exact: true }).waitFor();
    await table.getByText(/lb_policy|MAGLEV/).waitFor();
    await table.getByText('and acknowledged').first().waitFor();
  });

  it('can be paused, and cannot be added twice', async () => {
    const { id, target } = await findIstiod();
    const page = await openPage('/sources');
    await page.getByText('lab control plane, as istiod').first().waitFor();
    await page
      .getByText(/This is istiod xdscope-lab/)
      .first()
      .waitFor();
    const paused = await sendJson('PATCH', api(`sources/${encodeURIComponent(id)}`), { paused: true });
    expect(paused.status).toBe(200);
    await page
      .getByRole('button', { name: /Add a source/i })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('istiod', { exact: true }).click();
    await dialog.getByLabel('Address').fill(target);
    await dialog.getByRole('button', { name: /^Add/ }).click();
    await dialog.getByText(/already/).waitFor();
    await sendJson('PATCH', api(`sources/${encodeURIComponent(id)}`), { paused: false });
    await findIstiod();
  });
});
