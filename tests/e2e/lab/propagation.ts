import { describe, expect, it } from 'vitest';
import type { Divergences, PropagationPage } from '@/lib/views/propagation/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const propagationOf = (id: string, query = '') =>
  getJson<PropagationPage>(api(`clients/${id}/propagation?${query}`));
const storedPropagation = (path: string, query: string) =>
  getJson<PropagationPage>(api(`permalinks/${path.slice('/p/'.length)}/propagation?${query}`));
const setFault = (name: string, active: boolean) => sendJson('POST', api(`lab/faults/${name}`), { active });

let kept: { id: string; at: string; then: PropagationPage; path: string; stored: PropagationPage };

describe('the propagation of each resource', () => {
  it('agrees in a healthy mesh; a delta server with other content is reported until it is resolved', async () => {
    const { id } = await findClient(story, 'shop-web');
    const whole = await waitUntil(
      'four sides report what the client has, and agree',
      async () => {
        const { counts, items, ...page } = await propagationOf(id);
        const areAll = items.every(({ compared }) => compared === 4) && items.length >= 10;
        return counts.differ === 0 && areAll && { counts, items, ...page };
      },
      60_000,
    );
    expect(Object.values(whole.sources).every((speaker) => speaker?.freshness === 'live')).toBe(true);
    await waitUntil('the pair was compared', async () => {
      const { pairs } = await getJson<Divergences>(api('divergences'));
      return pairs.length === 1 && pairs[0]?.state === 'agree';
    });

    expect((await setFault('stale-delta', true)).status).toBe(200);
    const found = await waitUntil('the standing check raises it', async () => {
      const answer = await getJson<Divergences>(api('divergences'));
      return answer.total === 1 && answer;
    });
    expect(found.items[0]).toMatchObject({
      finding: 'sotw-delta-divergence',
      service: 'EDS',
      name: 'catalog-stable',
      kind: 'content',
    });

    const page = await openPage('/');
    await page.getByText('sotw-delta-divergence').first().waitFor();
    const issue = page.getByRole('article', { name: /sotw-delta-divergence/ });
    await issue.getByText('EDS catalog-stable').waitFor();
    await issue.getByRole('link', { name: 'Propagation', exact: true }).click();
    await page.waitForURL(/\/propagation\?propagation=differs/);
    // Until the filter applies, the rows of other types are shown as well.
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'catalog-stable' }).count()).toBe(1);

    // The tab of the client and the inspector open by keyboard, and the URL contains them.
    await visit(page, `/clients/${id}/propagation`);
    await page.getByRole('radio', { name: 'Differences' }).click();
    const row = page.locator('[data-row-id="EDS:catalog-stable"]');
    await row
      .filter({ hasText: 'What our delta probe received is not what our state-of-the-world probe received' })
      .waitFor();
    await row.focus();
    await page.keyboard.press('Enter');
    const way = page.getByRole('region', { name: 'Propagation', exact: true });
    await way.getByText('What our delta probe received is not').waitFor();
    await page.waitForURL(/propagation=differs.*resource=EDS(:|%3A)catalog-stable/);

    await way.getByRole('link', { name: 'Compare the contents' }).click();
    await page.waitForURL(/\/compare\?.*resource=EDS/);
    await page.getByRole('tree', { name: 'What differs in catalog-stable' }).waitFor();
    await page.goBack();
    await way.waitFor();

    // A client that rejects a resource differs at the last hop.
    const checkout = await findClient(story, 'shop-checkout');
    const rejected = await propagationOf(checkout.id, 'only=differs&type=CDS');
    expect(rejected.items).toMatchObject([
      {
        name: 'fraud-detection',
        firstMismatch: { from: 'controlPlane', to: 'client', kind: 'rejected' },
        states: { client: { state: 'NACKED' } },
      },
    ]);

    // The Validation tab contains it.
    await visit(page, `/clients/${id}/findings`);
    const onTheWay = page.getByRole('region', { name: 'Differs in propagation' });
    await onTheWay.getByText('sotw-delta-divergence').waitFor();
    await onTheWay.getByRole('button', { name: 'catalog-stable' }).waitFor();

    // A permalink of this tab contains all rows, whatever the page lists.
    await visit(page, `/clients/${id}/propagation?propagation=differs`);
    await row.waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    const path = new URL(href ?? '').pathname;
    const stored = await storedPropagation(path, '');
    expect(stored).toMatchObject({ total: stored.counts.resources, counts: { differ: 1 } });
    expect(stored.items.map(({ name }) => name).sort()).toEqual(whole.items.map(({ name }) => name).sort());
    const [during] = (await getJson<{ items: { seq: number; at: number }[] }>(api('history?limit=1'))).items;

    expect((await setFault('stale-delta', false)).status).toBe(200);
    await waitUntil(
      'it is resolved',
      async () => (await getJson<Divergences>(api('divergences'))).total === 0,
    );
    await visit(page, `/clients/${id}/propagation?propagation=differs`);
    await page.getByText('No differences').waitFor();

    // The moment of the past shows the difference, though it agrees now.
    const at = `at=${new Date(during?.at ?? 0).toISOString()}`;
    const then = await propagationOf(id, `only=differs&${at}`);
    expect(then.moment?.at).toBe(during?.at);
    expect(then.items).toMatchObject([
      {
        name: 'catalog-stable',
        firstMismatch: { from: 'sotw', to: 'delta', kind: 'content', finding: 'sotw-delta-divergence' },
      },
    ]);
    expect(await getJson<Divergences>(api(`divergences?${at}`))).toMatchObject({
      at: during?.at,
      pairs: [{ state: 'diverge' }],
      items: [{ name: 'catalog-stable', kind: 'content' }],
    });
    await visit(page, `/clients/${id}/propagation?propagation=differs&${at}`);
    await page
      .locator('[data-row-id="EDS:catalog-stable"]')
      .filter({ hasText: 'What our delta probe received is not what our state-of-the-world probe received' })
      .waitFor();
    await visit(page, `/clients/${id}/findings?${at}`);
    await onTheWay.getByText('sotw-delta-divergence').waitFor();
    kept = { id, at, then, path, stored };
  });
});

describeWithoutLab('the propagation of a client', () => {
  it('is as it was at a moment of the past, and in its permalink', async () => {
    const { id, at, then, path, stored } = kept;
    const page = await openPage(`/clients/${id}/propagation?propagation=differs&${at}`);
    const row = page.locator('[data-row-id="EDS:catalog-stable"]');
    const onTheWay = page.getByRole('region', { name: 'Differs in propagation' });
    expect(await propagationOf(id, `only=differs&${at}`)).toEqual(then);
    await row.waitFor();

    // Filters apply to the rows of the permalink.
    expect(await storedPropagation(path, '')).toEqual(stored);
    expect(await storedPropagation(path, 'only=differs')).toMatchObject({
      total: 1,
      items: [stored.items[0]],
    });
    await visit(page, path);
    await page.getByRole('link', { name: 'Propagation', exact: true }).waitFor();
    await row
      .filter({ hasText: 'What our delta probe received is not what our state-of-the-world probe received' })
      .waitFor();
    await page.getByText(`1 differs, ${stored.counts.agree} agree`).waitFor();
    expect(await page.locator('[data-row-id]').count()).toBe(1);
    await page.getByRole('radio', { name: 'All' }).click();
    const other = stored.items.find(({ firstMismatch }) => firstMismatch === undefined);
    await page.getByRole('searchbox', { name: 'Part of the name' }).fill(other?.name ?? '');
    await page.getByRole('row').filter({ hasText: other?.name }).first().waitFor();
    await row.waitFor({ state: 'detached' });
    await visit(page, `${path}/findings`);
    await onTheWay.getByText('sotw-delta-divergence').waitFor();
  });
});
