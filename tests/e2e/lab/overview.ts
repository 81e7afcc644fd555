import { describe, expect, it } from 'vitest';
import type { NotableEvent } from '@/lib/views/events/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { LabStatus } from '@/lib/views/lab/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

describe('on the real lab', () => {
  it('a NACK appears with its reason, on the overview and with the client', async () => {
    await findClient(story, 'shop-checkout');
    const page = await openPage('/');
    await page.getByText('fraud-detection').first().waitFor();
    await page
      .getByText(/unsupported lb_policy|MAGLEV/)
      .first()
      .waitFor();

    await visit(page, '/clients');
    await page.getByText('shop-checkout').first().click();
    await page.waitForURL(/\/clients\/[0-9a-f]{16}/);
    await page.getByRole('link', { name: /Resources/ }).click();
    // The sync status of istiod is folded above the table.
    await page
      .getByText(/unsupported lb_policy|MAGLEV/)
      .filter({ visible: true })
      .first()
      .waitFor();
  });

  it('an open page shows the NACK of a bad resource, and the ACK of its reversion', async () => {
    await findClient(story, 'shop-web');
    const page = await openPage('/');
    await page.getByText('Recent events').waitFor();
    expect(await page.getByText(/lb_policy.*RANDOM|RANDOM/).count()).toBe(0);
    expect((await sendJson('POST', api('lab/faults/unsupported-policy'), { active: true })).status).toBe(200);
    await page
      .getByText(/lb_policy.*RANDOM|RANDOM/)
      .first()
      .waitFor();
    await sendJson('POST', api('lab/faults/unsupported-policy'), { active: false });
    await waitUntil('its reversion is reported', async () => {
      const { items } = await getJson<{ items: NotableEvent[] }>(api('events'));
      return items.some((event) => event.status === 'ACKED' && event.resourceName === 'recommendations');
    });
    await page
      .getByText(/ACKED again/)
      .first()
      .waitFor();
  });

  it('the graph of a client shows that an endpoint becomes unhealthy', async () => {
    const client = await findClient(story, 'shop-web');
    const graphOf = (): Promise<Graph> => getJson<Graph>(api(`clients/${client.id}/graph`));
    const page = await openPage(`/clients/${client.id}/graph`);
    const picture = page.getByRole('group', { name: /graph|topology|config/i }).first();
    await picture.waitFor();
    const { endpoint, backend } = await waitUntil('a healthy endpoint is a backend of the lab', async () => {
      const { processes } = await getJson<LabStatus>(api('lab'));
      const { nodes } = await graphOf();
      return nodes
        .filter((node) => node.kind === 'endpoint' && node.status === 'HEALTHY')
        .flatMap((endpoint) => {
          const backend = processes.find((p) => p.kind === 'backend' && p.address === endpoint.name);
          return backend === undefined ? [] : [{ endpoint, backend }];
        })[0];
    });
    await page
      .getByRole('button', { name: new RegExp(`endpoint.*${endpoint.name}.*healthy`, 'i') })
      .first()
      .waitFor();
    await sendJson('POST', api(`lab/backends/${encodeURIComponent(backend.name)}`), {
      running: false,
    });
    await page
      .getByRole('button', { name: new RegExp(`endpoint.*${endpoint.name}.*unhealthy`, 'i') })
      .first()
      .waitFor();
    await sendJson('POST', api(`lab/backends/${encodeURIComponent(backend.name)}`), { running: true });
    await waitUntil('the endpoint is back', async () =>
      (await graphOf()).nodes.some((node) => node.id === endpoint.id && node.status === 'HEALTHY'),
    );
  });

  it('the inspector shows a resource as YAML, and copies it', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/resources`);
    const { items } = await getJson<{ items: ResourceRowJson[] }>(api(`clients/${client.id}/resources`));
    const cluster = items.find((row) => row.service === 'CDS' && row.hash !== null);
    if (cluster === undefined) throw new Error('shop-web has no cluster with a body');
    await page.getByText(cluster.name, { exact: true }).first().click();
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await inspector.getByRole('textbox', { name: `Payload of ${cluster.name}` }).waitFor();
    await inspector
      .getByText(/^name: /)
      .first()
      .waitFor();
    await inspector
      .getByRole('button', { name: /^Copy.*(text|content|YAML|JSON)/i })
      .first()
      .click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`name: ${cluster.name}`);
  });

  it('more tabs of one browser than connections to one server are all live over one stream', async () => {
    const pages = await Promise.all(Array.from({ length: 7 }, () => story.newPage()));
    for (const page of pages)
      await page.goto(`${story.server.url}/compare/rules`, { waitUntil: 'domcontentloaded' });
    for (const page of pages) await page.getByText('live', { exact: true }).first().waitFor();
    await Promise.all(pages.map((page) => page.close()));
  });
});
