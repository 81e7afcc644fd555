import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadSeriesAnswer, LoadTotalsAnswer } from '@/lib/api/load';
import type { ClientSummary } from '@/lib/api/schema';
import { getJson } from '../support/e2e-server';
import { findClient, type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

let story: Story;

beforeAll(async () => {
  story = await startStory(['--lab', '--no-background-faults', '--lrs-interval', '1s']);
}, 120_000);
afterAll(() => story.end());

const cluster = 'catalog-stable';
const api = (path: string) => `${story.server.url}/api/v1/${path}`;

/** What ended well, by cluster, up to a moment. */
async function reported(clientId: string, at: string): Promise<Record<string, string>> {
  const search = new URLSearchParams({ client: clientId, at });
  const { groups } = await getJson<LoadTotalsAnswer>(api(`load/totals?${search}`));
  return Object.fromEntries(groups.map(({ name, totals }) => [name, totals.successful]));
}

describe('the load of a client, in time', { timeout: 300_000 }, () => {
  it('goes where the scrubber goes, is stored by Share, and goes along in a file', async () => {
    const client = await findClient(story, 'shop-web');
    const moment = await waitUntil(
      'the client reported',
      async () => {
        const at = new Date().toISOString();
        return (await reported(client.id, at))[cluster] !== undefined && at;
      },
      90_000,
    );
    const then = await reported(client.id, moment);
    await waitUntil(
      'it reported more',
      async () =>
        Number((await reported(client.id, new Date().toISOString()))[cluster]) > Number(then[cluster]),
      90_000,
    );

    // 1. As of then the page says what had been reported then; now it says more.
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients/${client.id}/load?at=${moment}`);
    await page.getByText('Viewing the past').waitFor();
    const row = page.getByRole('row').filter({ hasText: cluster });
    const words = `${then[cluster]} ok`;
    await row.getByText(words).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await row.getByText(words).waitFor({ state: 'hidden' });
    await row.getByText(/\d ok/).waitFor();

    // 2. A step leads into the past, and what is shown goes along.
    await page.getByRole('button', { name: 'Previous event' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('at') !== null);
    await page.getByText('Viewing the past').waitFor();

    // 3. Share keeps it, by another grouping too, after a restart with the lab gone.
    await page.goto(`${story.server.url}/clients/${client.id}/load?at=${moment}&by=locality`);
    await page.getByRole('row').filter({ hasText: 'eu-west1-a' }).first().waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    const path = new URL(href ?? '').pathname;
    const readStored = () =>
      getJson<LoadSeriesAnswer>(api(`permalinks/${path.slice(3)}/load/series?measure=requests,errors`));
    const stored = await readStored();
    expect(Object.fromEntries(stored.groups.map(({ name, totals }) => [name, totals.successful]))).toEqual(
      then,
    );
    const file = new Uint8Array(
      await (await fetch(api(`export?client=${client.id}&to=${moment}`))).arrayBuffer(),
    );

    await story.restart(['--no-lab']);
    expect(await readStored()).toEqual(stored);
    await page.goto(`${story.server.url}${path}`);
    await page
      .getByText(/Stored/)
      .first()
      .waitFor();
    await page.getByRole('row').filter({ hasText: 'eu-west1-a' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('cluster');
    await row.getByText(words).waitFor();

    // 4. The file has the same numbers.
    const imported = await fetch(api('imports?name=load.xdscope'), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
    });
    expect(imported.status).toBe(201);
    const { items } = await getJson<{ items: ClientSummary[] }>(api('clients'));
    const copy = items.find(({ scope }) => scope === 'load.xdscope');
    expect(await reported(copy?.id ?? '', moment)).toEqual(then);
    await page.goto(`${story.server.url}/clients/${copy?.id}/load?at=${moment}`);
    await row.getByText(words).waitFor();
    expect(story.pageErrors).toEqual([]);
    await page.close();
  });
});
