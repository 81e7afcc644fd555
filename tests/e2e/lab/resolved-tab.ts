import { describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { LabResource, LabStatus } from '@/lib/views/lab/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const pull = (fault: string, active: boolean) => sendJson('POST', api(`lab/faults/${fault}`), { active });

/** A route configuration with a route before the others. */
function addRoute(resource: unknown, route: object): unknown {
  const { virtualHosts, ...others } = resource as { virtualHosts: { routes: object[] }[] };
  return {
    ...others,
    virtualHosts: virtualHosts.map((host) => ({ ...host, routes: [route, ...host.routes] })),
  };
}

/** Opens the tab. `says` waits until the verdict contains the words. */
async function openResolved(clientId: string, search = '') {
  const page = await openPage(`/clients/${clientId}/resolved${search}`);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  return { page, verdict, says: (words: RegExp) => verdict.filter({ hasText: words }).waitFor() };
}

let pathname = '';
let before: Resolved;
const readStored = () =>
  getJson<Resolved>(api(`permalinks/${pathname.slice('/p/'.length)}/resolved?profile=envoy`));

describe('the tab of the effective config', () => {
  it("shows the clusters of a lab client's listener, and the endpoints of one", async () => {
    const client = await findClient(story, 'shop-web');
    const { page, says } = await openResolved(client.id);
    await says(/Resolved.*listener.*web\.shop\.example.*route configuration web-routes.*7 clusters/);
    await page.getByRole('table', { name: 'Routes of web-routes, in order' }).getByText('90%').waitFor();
    const clusters = page.getByRole('table', { name: 'Clusters of the resolved config' });
    await clusters.getByText('cart', { exact: true }).first().click();
    const cluster = page.getByRole('region', { name: 'Cluster', exact: true });
    await cluster.getByRole('region', { name: 'Priority 0' }).waitFor();
    await cluster
      .getByText(/127\.0\.0\.1:\d+/)
      .first()
      .waitFor();
    // The inspector opens over it, and Escape closes it.
    await cluster.getByRole('button', { name: 'cart' }).first().click();
    await page.getByRole('region', { name: 'Inspector' }).waitFor();
    await page.keyboard.press('Escape');
    await cluster.waitFor();
  });

  it('is waiting while a route refers to a cluster that was not received, on an open page', async () => {
    const client = await findClient(story, 'shop-checkout');
    const { page, says } = await openResolved(client.id);
    await says(/5 clusters, 1 of them fails/);
    expect((await pull('missing-cluster', true)).status).toBe(200);
    await says(/Waits for 1 resource: CDS gift-wrapping|5 clusters, 2 of them fail/);
    await page.getByText('gift-wrapping').first().waitFor();
    await pull('missing-cluster', false);
    await says(/5 clusters, 1 of them fails/);
    await waitUntil('nothing is named that is not there', async () => {
      const { clusters, missingTotal } = await getJson<Resolved>(api(`clients/${client.id}/resolved`));
      return missingTotal === 0 && clusters.items.every(({ name }) => name !== 'gift-wrapping');
    });
  });

  it('shows that RPCs fail when the listener was deleted', async () => {
    const client = await findClient(story, 'shop-mobile');
    const { says } = await openResolved(client.id, '');
    await says(/Resolved/);
    await pull('missing-listener', true);
    await says(/Error.*mobile\.shop\.example.*RPCs fail with UNAVAILABLE/);
    await pull('missing-listener', false);
    await says(/Resolved/);
  });

  it('depends on the profile: gRPC never uses a route with query parameters', async () => {
    const { items: clients } = await getJson<{ items: ClientSummary[] }>(api('clients'));
    const probe = clients.find(({ isProbe }) => isProbe);
    const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
    const before = items.find(({ name }) => name === 'inventory-routes');
    if (probe === undefined || before === undefined) throw new Error('the probe or its routes are not there');
    const debug = {
      name: 'debug',
      match: { prefix: '/debug/', queryParameters: [{ name: 'debug', presentMatch: true }] },
      route: { cluster: 'cart' },
    };
    const resource = addRoute(before.resource, debug);
    const put = await sendJson('PUT', api('lab/resources'), { typeUrl: before.typeUrl, resource });
    expect(put.status).toBe(200);
    const { page, says } = await openResolved(probe.id, '?listener=inventory.shop.example');
    const ignored = page.getByRole('table', { name: 'Ignored fields' });
    await ignored.getByText('gRPC never uses a route with query parameters').waitFor();
    await says(/5 clusters/);
    await page.getByLabel('Client profile').selectOption('Envoy 1.40');
    await says(/4 clusters, 1 of them fails/);
    await page.getByText('Envoy 1.40 ignores no part of this config.').waitFor();
    await sendJson('PUT', api('lab/resources'), { typeUrl: before.typeUrl, resource: before.resource });
    await says(/3 clusters, 1 of them fails/);
  });

  it('shows which client profile applies, and what is wrong with a target', async () => {
    const client = await findClient(story, 'shop-web');
    const { page, says } = await openResolved(client.id);
    await page.getByText(/Node 1.14: the user agent is .gRPC Node/).waitFor();
    await page.getByLabel('Client profile').selectOption('Envoy 1.40');
    await page.getByText(/Envoy 1.40: chosen in place of Node 1.14: the user agent is .gRPC Node/).waitFor();
    await says(/with Envoy 1.40 rules/);
    await page.waitForURL(/profile=envoy-1.40/);
    const start = page.getByRole('combobox', { name: /target/ });
    await start.fill('xds:///nobody');
    await start.press('Enter');
    await says(/Waits for 1 resource: LDS nobody/);
    await start.fill('xds:');
    await start.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/target: expected xds:\/\/\/NAME/)
      .waitFor();
  });

  it('marks in the picture and the table of the graph what is not part of it, and why', async () => {
    const { items } = await getJson<{ items: { id: string; isProbe: boolean }[] }>(api('clients'));
    const probe = items.find(({ isProbe }) => isProbe);
    if (probe === undefined) throw new Error("the lab's probe is not there");
    const { page } = await openResolved(probe.id, '?listener=mobile.shop.example&profile=go');
    await page.getByRole('link', { name: 'Highlight in the graph' }).click();
    await page.waitForURL(/graph\?.*mark=mobile\.shop\.example/);
    await page.getByText('in the resolved config of mobile.shop.example').waitFor();
    await page.getByLabel('Highlight').selectOption('web.shop.example');
    await page.waitForURL(/mark=web\.shop\.example/);
    const other = page.getByRole('button', { name: /listener checkout\.shop\.example.*not used/ });
    await other.waitFor();
    await page.getByText('in the resolved config of web.shop.example').waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Resolved' }).waitFor();
    await page.getByText('not part of this resolved config').first().waitFor();
  });

  it("applies the profile's rules to what the probe accepted: C-core rejects MAGLEV, Envoy accepts it", async () => {
    const { items: clients } = await getJson<{ items: ClientSummary[] }>(api('clients'));
    const probe = clients.find(({ isProbe }) => isProbe);
    const { faults } = await getJson<LabStatus>(api('lab'));
    const bad = faults.find(({ text }) => text.includes('MAGLEV'));
    if (probe === undefined || bad === undefined) throw new Error('the probe or the fault is not there');
    expect((await pull(bad.name, true)).status).toBe(200);
    const search = '?listener=checkout.shop.example&profile=core-1.51&cluster=fraud-detection';
    const { page, says } = await openResolved(probe.id, search);
    await says(
      /were accepted by xdscope's probe: the rules of C-core 1.51 decide which of them are accepted/,
    );
    const cluster = page.getByRole('region', { name: 'Cluster', exact: true });
    await cluster.getByText(/C-core 1.51 would reject it: C6 lbPolicy: expected .*MAGLEV/).waitFor();
    const rejected = cluster.getByRole('region', { name: 'Rejected by the rules' });
    await rejected.getByRole('button', { name: /C6/ }).click();
    await page.waitForURL(/field=lbPolicy/);
    await page.keyboard.press('Escape');
    await page.getByLabel('Client profile').selectOption('Envoy 1.40');
    await page.getByRole('table', { name: 'Clusters of the resolved config' }).waitFor();
    await waitUntil('Envoy takes it', async () => {
      const query = '?listener=checkout.shop.example&profile=envoy&cluster=fraud-detection';
      const { clusters } = await getJson<Resolved>(api(`clients/${probe.id}/resolved${query}`));
      return clusters.items[0]?.status === 'ok' && clusters.items[0].rejected.length === 0;
    });
  });

  it('shows that the moment is in the past, and returns to now', async () => {
    const client = await findClient(story, 'shop-web');
    const at = new Date().toISOString();
    const { page, says } = await openResolved(client.id, `?at=${encodeURIComponent(at)}`);
    await says(/with Node 1.14 rules/);
    await page.getByText('Viewing the past:').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('Viewing the past:').waitFor({ state: 'hidden' });
    expect(page.url()).not.toContain('at=');
  });

  it('is shared with its profile', async () => {
    const client = await findClient(story, 'shop-checkout');
    const { page, says } = await openResolved(client.id, '?profile=envoy');
    await says(/with Envoy 1.40 rules/);
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    pathname = new URL(href ?? '').pathname;
    before = await readStored();
  });
});

describeWithoutLab('the effective config of a permalink', () => {
  it('shows what was stored', async () => {
    expect(await readStored()).toEqual(before);
    const page = await openPage(pathname);
    const says = (words: RegExp) =>
      page.getByRole('region', { name: 'Verdict' }).filter({ hasText: words }).waitFor();
    await says(/with Envoy 1.40 rules, as stored/);
    expect(await page.getByRole('link', { name: 'Effective config' }).getAttribute('aria-current')).toBe(
      'page',
    );
    await page
      .getByRole('table', { name: 'Clusters of the resolved config' })
      .getByText('payment-v2')
      .first()
      .waitFor();
  });
});
