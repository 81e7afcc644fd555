import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClient } from '../../support/e2e-story';
import { closePage, openPage, story, visit } from '../../support/shared-lab';

let page: Page;
let id: string;

const outcome = () => page.getByRole('region', { name: 'Outcome' });
const steps = () => page.getByRole('list', { name: 'Steps' }).getByRole('listitem');

async function explainAt(request: string): Promise<void> {
  await visit(page, `/clients/${id}/explain?${new URLSearchParams({ request })}`);
  await outcome().waitFor();
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
});
