import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { DiffAnswer } from '@/lib/views/compare/schema';
import type { LabResource } from '@/lib/views/lab/schema';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { RDS } from '@/lib/xds/resource-type';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const weightPath = 'route.weightedClusters.clusters[';

async function readRows(clientId: string) {
  return (await getJson<ResourcePage>(api(`clients/${clientId}/resources`))).items;
}

/** Waits until every resource of the client is ACKED with the content that the control plane reports. */
async function waitUntilSettled(clientId: string): Promise<void> {
  await waitUntil('every resource is ACKED with the content of the control plane', async () => {
    const rows = await readRows(clientId);
    const { duplicateNodeId } = await getJson<ClientDetail>(api(`clients/${clientId}`));
    const isWhole = rows.every(
      ({ clientStatus, hash, controlPlane }) => clientStatus === 'ACKED' && controlPlane?.hash === hash,
    );
    return (rows.length >= 15 && isWhole && !duplicateNodeId) || undefined;
  });
}

interface Split {
  weightedClusters?: { clusters: { name: string; weight: number }[] };
}
interface Routes {
  virtualHosts: { routes: { route?: Split }[] }[];
}

/** Changes the weight of one cluster of one route of the lab, and waits until the client has accepted it. */
async function changeOneWeight(clientId: string): Promise<{ name: string; before: number; after: number }> {
  const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
  for (const { typeUrl, name, resource } of items) {
    if (typeUrl !== RDS.typeUrl) continue;
    const routes = structuredClone(resource) as Routes;
    const splits = routes.virtualHosts.flatMap((host) =>
      host.routes.flatMap(({ route }) => route?.weightedClusters?.clusters[0] ?? []),
    );
    const [cluster] = splits;
    const row = (await readRows(clientId)).find((each) => each.typeUrl === typeUrl && each.name === name);
    if (cluster === undefined || row === undefined) continue;
    const before = cluster.weight;
    cluster.weight = before + 7;
    const answer = await sendJson('PUT', api('lab/resources'), { typeUrl, name, resource: routes });
    expect(answer.status).toBe(200);
    await waitUntil('the client has accepted the weight', async () => {
      const now = (await readRows(clientId)).find((each) => each.typeUrl === typeUrl && each.name === name);
      return (now?.hash !== row.hash && now?.clientStatus === 'ACKED') || undefined;
    });
    await waitUntilSettled(clientId);
    return { name, before, after: before + 7 };
  }
  throw new Error('the lab has no route with weights that the client holds');
}

/** Types into a combobox and selects the first option of its list. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(text);
  await page.getByRole('listbox', { name: label }).getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

describe('comparing', () => {
  it('shows one changed weight as one line, between two moments, two clients, and with a permalink', async () => {
    const { id } = await findClient(story, 'shop-web');
    await waitUntilSettled(id);
    const created = await sendJson('POST', api('permalinks'), { clientId: id });
    const permalink = ((await created.json()) as { id: string }).id;
    const then = new Date().toISOString();
    const { name, before, after } = await changeOneWeight(id);

    // The API returns one resource with one changed line.
    const sides = { left: `client/${id}@${then}`, right: `client/${id}` };
    const answer = await getJson<DiffAnswer>(api(`diff?${new URLSearchParams(sides)}`));
    const really = answer.items.filter(({ kind }) => kind !== 'status');
    expect(really).toMatchObject([
      {
        kind: 'changed',
        service: 'RDS',
        name,
        totals: { changes: 1 },
        lines: [{ kind: 'changed', before: String(before), after: String(after) }],
      },
    ]);
    expect(really[0]?.lines[0]?.path).toContain(weightPath);

    // The page shows it in its status and its list; Enter moves the focus into the tree.
    const page = await openPage(`/clients/${id}/resources?at=${then}`);
    await page.locator('a[href^="/compare?"]', { hasText: 'Compare' }).click();
    await page.waitForURL(/\/compare\?/);
    const list = page.getByRole('table', { name: 'Resources that differ' });
    const row = list.getByRole('row').filter({ hasText: name });
    await row.waitFor();
    await page.getByRole('status').filter({ hasText: '1 changed' }).waitFor();
    await row.focus();
    await page.keyboard.press('Enter');
    const tree = page.getByRole('tree', { name: `What differs in ${name}` });
    await tree.waitFor();
    expect(await tree.getByRole('treeitem').count()).toBe(1);
    const line = (await tree.getByRole('treeitem').textContent()) ?? '';
    expect(line).toContain(weightPath);
    expect(line).toContain(`A: ${before}→B: ${after}`);
    await page.waitForURL((url) => url.searchParams.get('resource') === `RDS:${name}`);

    // The text and the graph show it, and the URL contains both settings.
    await page.getByRole('radio', { name: 'Text' }).click();
    const changedLines = page.locator('.cm-mergeView .cm-changedLine');
    await changedLines.filter({ hasText: `weight: ${after}` }).waitFor();
    const lines = await changedLines.allTextContents();
    expect(lines.map((text) => text.trim())).toEqual([`weight: ${before}`, `weight: ${after}`]);
    await page.getByRole('radio', { name: 'Graph' }).click();
    await page.getByRole('region', { name: 'Graph' }).waitFor();
    await page.waitForURL(
      ({ searchParams }) => searchParams.get('as') === 'text' && searchParams.get('view') === 'graph',
    );
    await page.keyboard.press('Escape');
    await page.locator('.cm-mergeView').waitFor({ state: 'detached' });
    await page.locator('svg').getByText('differs', { exact: true }).first().waitFor();

    await visit(page, '/compare');
    await page.getByText('Choose the two sides').waitFor();
    await choose(page, 'A: client or permalink', 'shop-web');
    await page.getByText('Choose the other side').waitFor();
    await choose(page, 'B: client or permalink', 'shop-checkout');
    await page
      .getByRole('status')
      .filter({ hasText: / resources? differs?:/ })
      .waitFor();
    const { id: other } = await findClient(story, 'shop-checkout');
    await page.waitForURL(
      ({ searchParams }) =>
        searchParams.get('left') === `client/${id}` && searchParams.get('right') === `client/${other}`,
    );

    await visit(page, `/p/${permalink}`);
    await page.locator('a[href^="/compare?"]', { hasText: 'Compare' }).click();
    await page.waitForURL(/\/compare\?/);
    await page.getByRole('row').filter({ hasText: name }).waitFor();
    await page.waitForURL(({ searchParams }) => searchParams.get('left') === `permalink/${permalink}`);

    // The reports of the tap and of the client itself do not differ.
    await waitUntilSettled(id);
    await visit(page, `/compare?left=client/${id}&right=client/${id}`);
    const { reports } = await findClient(story, 'shop-web');
    const own = reports.find(({ vantage, side }) => vantage === 'csds' && side === 'client')?.sourceId ?? '';
    await page.getByLabel('A: source').selectOption('tap:lab');
    await page.getByLabel('B: source').selectOption(own);
    await page.waitForURL(({ searchParams }) => {
      const address = (source: string) => `client/${id};source=${encodeURIComponent(source)}`;
      return searchParams.get('left') === address('tap:lab') && searchParams.get('right') === address(own);
    });
    await page
      .getByRole('status')
      .filter({ hasText: 'Nothing differs: 15 resources are the same.' })
      .waitFor();

    // A side that does not exist is an error message.
    await visit(page, `/compare?left=client/${id}&right=permalink/nothing`);
    await page.getByText('right: no permalink has the id "nothing"').waitFor();
  });
});
