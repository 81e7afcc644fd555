import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { dropFiles } from '../../support/drop-files';
import { getJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story } from '../../support/shared-lab';

const cluster = (policy: string) => `"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
name: cart
type: EDS
lbPolicy: ${policy}
edsClusterConfig: {edsConfig: {ads: {}}}
`;
const routes = `"@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration
name: web-routes
virtualHosts:
- name: web-routes
  domains: ["*"]
  routes:
  - match: {prefix: ""}
    route: {cluster: nowhere}
`;

const field = (page: Page) => page.getByRole('textbox', { name: /^YAML, JSON/ });
const verdicts = (page: Page) => page.getByRole('table', { name: 'Verdicts by resource and client version' });

describe('the page Check', () => {
  it('judges what is typed by the client versions of the fleet, with the field marked', async () => {
    await findClient(story, 'shop-web');
    const page = await openPage('/');
    await page.keyboard.press('c');
    await page.waitForURL(/\/check$/);
    await page.getByText('Nothing to check yet').waitFor();
    await field(page).fill('resources: [');
    await page.getByText('No resource can be read').waitFor();
    await field(page).fill(cluster('MAGLEV'));
    const row = verdicts(page).getByRole('row').filter({ hasText: 'cart' });
    await row.getByText('NACK').first().waitFor();
    await verdicts(page)
      .getByText(/^Node 1\.14 \(\d+\)$/)
      .waitFor();
    await row.getByText(/clients that have it would reject it/).waitFor();
    await page
      .getByRole('region', { name: 'CDS cart' })
      .getByText('lbPolicy', { exact: true })
      .first()
      .waitFor();
    expect(await page.locator('[data-marked]').first().textContent()).toContain('MAGLEV');
    await field(page).fill(cluster('ROUND_ROBIN'));
    await row.getByText('NACK').first().waitFor({ state: 'detached' });
    await page.getByText('No rule is violated.').waitFor();
  });

  it('lists what would change at a client, and references that lead to nothing', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/check?client=${client.id}`);
    await field(page).fill(routes);
    await page.getByRole('region', { name: 'Missing references 1' }).getByText('nowhere').waitFor();
    const changes = page.getByRole('region', { name: 'What changes at shop-web' });
    await changes.getByRole('row').filter({ hasText: 'cluster recommendations' }).waitFor();
    await changes.getByText('The input has 1 resource that the client has with other content.').waitFor();
  });

  it('lists what a client would lose if the input were everything', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/check?client=${client.id}`);
    await field(page).fill(cluster('ROUND_ROBIN'));
    await page.getByText(/listeners and clusters that the input lacks stay\.$/).waitFor();
    await page.getByRole('checkbox', { name: /^The input is everything/ }).check();
    const removed = page.getByRole('region', { name: /^Removed \d+$/ });
    await removed.getByText('catalog-stable', { exact: true }).waitFor();
    await removed
      .getByText(/unless ignore_resource_deletion/)
      .first()
      .waitFor();
    const changes = page.getByRole('region', { name: 'What changes at shop-web' });
    await changes.getByText('cluster "catalog-stable" does not exist').first().waitFor();
    expect(page.url()).toContain('whole=true');
  });

  it('begins with a resource that a client has', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/resources`);
    await page.getByRole('row').filter({ hasText: 'catalog-stable' }).first().click();
    await page.getByRole('link', { name: 'Change it and check what it would do' }).click();
    await page.waitForURL(/\/check\?client=/);
    await page.getByText('The input has 1 resource that the client has as it is.').waitFor();
    expect(await field(page).inputValue()).toContain('name: catalog-stable');
  });

  it('takes the files that are dropped together, and imports none of them', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/check?client=${client.id}`);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-check-'));
    const files = { 'cluster.yaml': cluster('ROUND_ROBIN'), 'routes.yaml': routes };
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
      await dropFiles(page, ...Object.keys(files).map((name) => path.join(folder, name)));
      await verdicts(page).getByRole('row').filter({ hasText: 'web-routes' }).waitFor();
      await verdicts(page).getByRole('row').filter({ hasText: 'cart' }).waitFor();
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { items } = await getJson<{ items: FileImport[] }>(api('imports'));
    expect(items.map(({ label }) => label)).not.toContain('cluster.yaml');
  });
});
