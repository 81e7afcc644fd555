import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, closePage, openPage, story, visit } from '../../support/shared-lab';

let page: Page;
let id: string;

const outcome = () => page.getByRole('region', { name: 'Outcome' });
const steps = () => page.getByRole('list', { name: 'Steps' }).getByRole('listitem');

async function explainAt(request: string): Promise<void> {
  await visit(page, `/clients/${id}/explain?${new URLSearchParams({ request })}`);
  await outcome().waitFor();
}

async function findMoment(): Promise<string> {
  const url = api(`history?${new URLSearchParams({ client: id, limit: '1' })}`);
  const { items } = await getJson<{ readonly items: readonly { readonly seq: number }[] }>(url);
  const [newest] = items;
  if (newest === undefined) throw new Error('expected an event of shop-web, got none');
  return `seq:${newest.seq}`;
}

describe('Explain', () => {
  beforeAll(async () => {
    ({ id } = await findClient(story, 'shop-web'));
    page = await openPage(`/clients/${id}/explain`);
  });
  afterAll(closePage);

  it('states where an RPC goes, and which condition of each earlier route fails', async () => {
    await page.getByRole('textbox', { name: 'Request' }).fill('shop.v1.Cart/Add');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await outcome().getByText('The request goes to cluster cart').waitFor();
    const texts = await steps().allInnerTexts();
    expect(texts.filter((text) => text.startsWith('not taken'))).toEqual([
      expect.stringMatching(/route 1 "catalog-beta": path ".*" must begin with "\/shop\.v1\.Catalog\/"/),
      expect.stringMatching(/route 2 "catalog": /),
    ]);
    expect(new URL(page.url()).searchParams.get('request')).toBe('shop.v1.Cart/Add');
  });

  it('explains the header route: taken with the header, and not without it', async () => {
    const rpc = 'grpcurl -plaintext web.shop.example:80 shop.v1.Catalog/List';
    await explainAt(rpc.replace(' -plaintext', " -plaintext -H 'x-beta: true'"));
    await outcome().getByText('The request goes to cluster catalog-canary').waitFor();
    await explainAt(rpc);
    const [beta] = await steps().filter({ hasText: 'catalog-beta' }).allInnerTexts();
    expect(beta).toContain('header x-beta is absent, and its value must be "true"');
  });

  it('proves an RPC with a gRPC client that has the config of the client', async () => {
    await explainAt("grpcurl -plaintext -H 'x-beta: true' web.shop.example:80 shop.v1.Catalog/List");
    const panel = page.getByRole('region', { name: 'Proof' });
    await panel.getByRole('button', { name: 'Prove it' }).click();
    await panel.getByText(/^grpc-js .*, 10 requests: no step differs from the trace\.$/).waitFor();
    const rows = await panel.getByRole('row').allInnerTexts();
    const found = rows.map((row) => row.split(/\s*\t\s*/).map((cell) => cell.trim()));
    expect(found).toContainEqual(['cluster', 'catalog-canary', 'catalog-canary', 'same']);
    expect(found).toContainEqual(['answer', 'of an endpoint', 'of an endpoint', 'same']);
    expect(found.find(([what]) => what === 'endpoint')?.at(-1)).toBe('same');
    expect(found.find(([what]) => what === 'route')?.at(-1)).toBe('not observed');
  });

  it('opens the field that decides a step', async () => {
    await explainAt('shop.v1.Cart/Add');
    await page.getByRole('button', { name: /virtualHosts\[0\]\.routes\[0\]\.match\.prefix/ }).click();
    await page.getByRole('region', { name: 'Inspector' }).getByText('web-routes').first().waitFor();
    await page.waitForURL(/resource=RDS(:|%3A)web-routes/);
  });

  it('opens from a curl line that is pasted into the search', async () => {
    await visit(page, `/clients/${id}/graph`);
    await page.keyboard.press('/');
    const line = "curl -X POST -H 'x-beta: true' http://web.shop.example/shop.v1.Catalog/List";
    await page.getByRole('combobox', { name: /^Search resources, clients/ }).fill(line);
    await page
      .getByRole('option', { name: /Explain curl .*this client/s })
      .first()
      .click();
    await page.waitForURL(new RegExp(`/clients/${id}/explain\\?request=curl`));
    await outcome().getByText('catalog-canary').waitFor();
  });

  it('keeps the moment, and states where the request went then', async () => {
    const at = await findMoment();
    await visit(page, `/clients/${id}/explain?${new URLSearchParams({ request: 'shop.v1.Cart/Add', at })}`);
    await outcome().getByText('The request goes to cluster cart').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(at);
  });

  it('keeps the request in a permalink, which answers from what it stored', async () => {
    const query = { request: 'shop.v1.Cart/Add', sni: 'web.shop.example' };
    const view = { tab: 'explain', query };
    const response = await sendJson('POST', api('permalinks'), { clientId: id, view });
    const { url } = (await response.json()) as { readonly url: string };
    await visit(page, url);
    await outcome().getByText('The request goes to cluster cart').waitFor();
    expect(await page.getByRole('textbox', { name: 'Request' }).inputValue()).toBe('shop.v1.Cart/Add');
    await page.getByText('Connection: SNI given').waitFor();
  });

  it('lights the path of the request in the graph, and only that path', async () => {
    await explainAt('shop.v1.Cart/Add');
    await page.getByRole('link', { name: 'Show in graph' }).click();
    const path = page.getByRole('region', { name: 'Path of the request' });
    await path.getByText('The request goes to cluster cart').waitFor();
    await page.locator('.node.lit[data-id="cluster:cart"]').waitFor();
    await page.locator('.node.dim[data-id="cluster:search"]').waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe('shop.v1.Cart/Add');
    await path.getByRole('button', { name: 'Highlight no request' }).click();
    await page.locator('.node.dim').first().waitFor({ state: 'detached' });
  });

  it('leads from a request that is typed at the effective config to its explanation', async () => {
    await visit(page, `/clients/${id}/resolved`);
    await page.getByRole('textbox', { name: 'Request' }).fill('shop.v1.Cart/Add');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.waitForURL(/\/explain\?.*request=shop\.v1\.Cart(\/|%2F)Add/);
    await outcome().getByText('The request goes to cluster cart').waitFor();
  });

  it('compares the outcome by client profile', async () => {
    await explainAt('shop.v1.Cart/Add');
    await page.getByText('By client profile').click();
    const lines = page.getByRole('definition').filter({ hasText: 'The request goes to cluster cart' });
    await lines.nth(4).waitFor();
    expect(new URL(page.url()).searchParams.get('profiles')).toBe('true');
  });
});

describe('Explain for all clients', () => {
  beforeAll(async () => {
    page = await openPage('/clients');
  });
  afterAll(closePage);

  const outcomes = () => page.getByRole('list', { name: 'Outcomes' });

  it('opens with E, and groups the clients of a request by its outcome', async () => {
    await page.keyboard.press('e');
    await page.waitForURL(/\/explain$/);
    await page.getByRole('textbox', { name: 'Request' }).fill('shop.v1.Cart/Add');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    const cart = outcomes().getByRole('listitem').filter({ hasText: 'The request goes to cluster cart.' });
    await cart.getByRole('link', { name: 'shop-web' }).waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe('shop.v1.Cart/Add');
    await cart.getByRole('link', { name: 'shop-web' }).click();
    await page.waitForURL(/\/clients\/[0-9a-f]{16}\/explain\?request=shop/);
    await outcome().getByText('The request goes to cluster cart').waitFor();
  });

  it('selects clients by a filter, which is in the URL', async () => {
    await visit(page, `/explain?${new URLSearchParams({ request: 'shop.v1.Cart/Add', q: 'shop-web' })}`);
    await page.getByText('1 client with 1 config: 1 outcome.').waitFor();
  });
});
