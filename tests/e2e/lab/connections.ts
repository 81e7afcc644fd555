import { describe, expect, it } from 'vitest';
import type { ConnectionsPage } from '@/lib/views/connections/schema';
import { EDS } from '@/lib/xds/resource-type';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const read = (clientId: string, query: string) =>
  getJson<ConnectionsPage>(api(`clients/${clientId}/connections?${query}`));

describe('the Connections tab', () => {
  it('shows the endpoints of a client with their states and calls, now, at a moment and in a permalink', async () => {
    const { id } = await findClient(story, 'shop-web');
    const ready = await waitUntil('an endpoint is READY', async () => {
      const { endpoints, source } = await read(id, 'sort=-started');
      const [first] = endpoints.items;
      return source !== undefined && first?.connection?.state === 'READY' ? first : undefined;
    });
    expect(ready.connection?.figures?.callsStarted).toBeGreaterThan(0);
    const page = await openPage(`/clients/${id}/connections?sort=-started`);
    const table = page.getByRole('table', { name: 'Endpoints and their connections' });
    await table
      .getByRole('row')
      .filter({ hasText: ready.address })
      .filter({ hasText: 'READY' })
      .first()
      .waitFor();
    // The clients of the lab connect to a tap, which has recorded their address.
    await page.getByRole('region', { name: 'Management servers' }).getByText('READY').waitFor();

    const { at } = await read(id, '');
    const then = await read(id, `at=${new Date(at).toISOString()}`);
    expect(then.moment?.at).toBe(at);
    expect(then.counts.ready).toBeGreaterThan(0);

    const made = await sendJson('POST', api('permalinks'), { clientId: id, view: { tab: 'connections' } });
    const { url } = (await made.json()) as { readonly url: string };
    const stored = await openPage(url);
    await stored
      .getByRole('table', { name: 'Endpoints and their connections' })
      .getByText('READY')
      .first()
      .waitFor();
  });

  it('marks an endpoint that EDS reports as HEALTHY and that the client cannot connect to', async () => {
    const { id } = await findClient(story, 'shop-mobile');
    const resources = await getJson<{
      readonly items: readonly { name: string; typeUrl: string; resource: unknown }[];
    }>(api('lab/resources'));
    const cart = resources.items.find(({ name, typeUrl }) => name === 'cart' && typeUrl === EDS.typeUrl);
    if (cart === undefined) throw new Error('the lab has no endpoints of cart');
    const { endpoints, ...others } = cart.resource as { endpoints: { lbEndpoints: object[] }[] };
    const socketAddress = { address: '127.0.0.1', portValue: 9 };
    const dead = { endpoint: { address: { socketAddress } }, healthStatus: 'HEALTHY' };
    const changed = endpoints.map((group, index) =>
      index === 0 ? { ...group, lbEndpoints: [...group.lbEndpoints, dead] } : group,
    );
    const set = (resource: unknown) =>
      sendJson('PUT', api('lab/resources'), { typeUrl: cart.typeUrl, name: cart.name, resource });
    expect((await set({ ...others, endpoints: changed })).ok).toBe(true);
    const page = await openPage(`/clients/${id}/connections`);
    const table = page.getByRole('table', { name: 'Endpoints and their connections' });
    const row = table.getByRole('row').filter({ hasText: '127.0.0.1:9' });
    await row.getByText(/EDS HEALTHY, TRANSIENT_FAILURE for/).waitFor();
    // A click on the column puts disagreements first; another one lists only these.
    await table
      .getByRole('columnheader', { name: /^Last error/ })
      .getByRole('button')
      .click();
    await waitUntil('the disagreement is the first row', async () =>
      (await table.getByRole('row').nth(1).innerText()).includes('127.0.0.1:9'),
    );
    await page.getByText('Disagreements', { exact: true }).click();
    await table.getByText('READY').first().waitFor({ state: 'detached' });
    await row.getByText(/EDS HEALTHY, TRANSIENT_FAILURE for/).waitFor();

    // The measured state is also on the endpoint of the graph, and beside the simulated condition.
    await visit(page, `/clients/${id}/graph`);
    const node = page.locator('[data-id]').filter({ hasText: '127.0.0.1:9' });
    await node.locator('.detail').filter({ hasText: 'TRANSIENT_FAILURE' }).waitFor();
    await visit(page, `/clients/${id}/failover?cluster=cart`);
    const simulated = page.getByRole('region', { name: 'What if' }).getByRole('listitem');
    await simulated
      .filter({ hasText: '127.0.0.1:9' })
      .last()
      .getByTitle('Measured: the state that the client reports')
      .getByText('TRANSIENT_FAILURE')
      .waitFor();
    await visit(page, `/clients/${id}/connections?endpoints=disagreements`);
    await row.waitFor();
    expect((await set(cart.resource)).ok).toBe(true);
    await row.waitFor({ state: 'detached' });
  });
});
