import { describe, expect, it } from 'vitest';
import type { ClientsPage } from '@/lib/views/client/schema';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { TestClientPage } from '@/lib/views/test-client/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const read = (clientId: string, query = '') =>
  getJson<TestClientPage>(api(`clients/${clientId}/test-client${query}`));

/** What was done to the client and measured of it, newest first. */
async function readEvents(clientId: string, from: number): Promise<HistoryPage['items']> {
  const kinds = ['test-client-configured', 'rpc-block-counted', 'test-server-set'].map(
    (each) => `kind=${each}`,
  );
  const { items } = await getJson<HistoryPage>(
    api(`history?client=${clientId}&from=${from}&${kinds.join('&')}`),
  );
  return items;
}

const findUnary = ({ counts }: TestClientPage) =>
  counts?.methods.find(({ method }) => method === 'UNARY_CALL');

describe('the tab Test client', () => {
  it('configures a client of the lab, whose errors appear by status, by server and in the history', async () => {
    const { id } = await findClient(story, 'shop-web');
    const from = Date.now();
    try {
      await waitUntil('its RPCs are counted', async () => (await read(id)).counts !== undefined);
      const page = await openPage(`/clients/${id}/test-client`);
      const methods = page.getByRole('table', { name: 'RPCs by method and status' });
      await methods.getByRole('rowheader', { name: 'shop.v1.Cart/Get' }).waitFor();

      const form = page.getByRole('form', { name: 'Configure the RPCs of the client' });
      await form.getByText('This changes what a running program does').waitFor();
      // Another story configured the client without RPCs.
      await form.getByRole('checkbox', { name: 'UNARY_CALL' }).check();
      await form.getByRole('button', { name: 'Configure the client' }).click();
      await page.getByText('Configured by xdscope').waitFor();
      await page.getByRole('button', { name: 'Count the next RPCs' }).click();
      await waitUntil('the block is counted, whatever another story has counted before', async () =>
        (await readEvents(id, from)).some(({ text }) => / RPCs: /.test(text)),
      );
      const block = page.getByRole('region', { name: 'Block of RPCs by server' });
      await block.getByText('failed or had not ended').waitFor();
      await block
        .getByRole('rowheader', { name: /^recommendations-/ })
        .first()
        .waitFor();

      const compared = page.getByRole('table', { name: 'Expected and measured shares of recommendations' });
      await compared.getByRole('row', { name: /^recommendations-eu-west1-b-1 50% / }).waitFor();

      // A server that is NOT_SERVING becomes UNHEALTHY in the config of the client.
      const servers = page.getByRole('table', { name: 'Servers of the interop tests' });
      const server = servers.getByRole('row', { name: /recommendations-eu-west1-b-1/ });
      const inConfig = (health: string) => server.getByRole('cell', { name: health, exact: true }).waitFor();
      await server.getByRole('button', { name: /^Set to NOT_SERVING/ }).click();
      await server.getByRole('cell', { name: /^NOT_SERVING/ }).waitFor();
      await inConfig('UNHEALTHY');
      await server.getByRole('button', { name: /^Set to SERVING/ }).click();
      await inConfig('HEALTHY');

      await form.getByLabel('Metadata').fill('UNARY_CALL rpc-behavior: error-code-15');
      await form.getByRole('button', { name: 'Configure the client' }).click();
      const failing = await waitUntil('errors are counted', async () => {
        const found = await read(id);
        return findUnary(found)?.statuses.some(({ code }) => code === 15) === true ? found : undefined;
      });
      // A page in the background is not refreshed at intervals.
      await openPage(`/clients/${id}/test-client`);
      await methods.getByRole('columnheader', { name: 'DATA_LOSS' }).waitFor();
      expect(failing.configuration).toMatchObject({
        types: ['UNARY_CALL'],
        metadata: [{ type: 'UNARY_CALL', key: 'rpc-behavior', value: 'error-code-15' }],
      });
      const items = await readEvents(id, from);
      expect(items.map(({ text }) => text)).toEqual([
        'test client configured: UNARY_CALL with rpc-behavior: error-code-15',
        expect.stringMatching(/^test server 127\.0\.0\.1:\d+ set to SERVING$/),
        expect.stringMatching(/^test server 127\.0\.0\.1:\d+ set to NOT_SERVING$/),
        expect.stringMatching(/^100 RPCs: .* failed$/),
        'test client configured: UNARY_CALL',
      ]);

      // The moment before the errors, and a permalink after them.
      const then = await read(id, `?at=seq:${items.at(-1)?.seq}`);
      expect(findUnary(then)).toBeUndefined();
      const made = await sendJson('POST', api('permalinks'), { clientId: id, view: { tab: 'test-client' } });
      const { url } = (await made.json()) as { readonly url: string };
      const stored = await openPage(url);
      await stored.getByRole('columnheader', { name: 'DATA_LOSS' }).waitFor();
      expect(await stored.getByRole('form').count()).toBe(0);
    } finally {
      const none = { types: [] };
      const end = await sendJson('PUT', api(`clients/${id}/test-client/configuration`), none);
      expect(end.status).toBe(204);
    }
  });

  it('is shown for test clients alone, and a command to another client states what is missing', async () => {
    const { items } = await getJson<ClientsPage>(api('clients'));
    const { id = '' } = items.find(({ nodeId }) => nodeId.startsWith('xdscope-probe@')) ?? {};
    const answer = await sendJson('POST', api(`clients/${id}/test-client/block`), {});
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { detail: expect.stringMatching(/^expected a source of the kind interop that answers/) },
    ]);
    const page = await openPage(`/clients/${id}/graph`);
    const tabs = page.getByRole('navigation', { name: 'Views of this client' });
    await tabs.getByRole('link', { name: 'Connections' }).waitFor();
    expect(await tabs.getByRole('link', { name: 'Test client' }).count()).toBe(0);
  });
});
