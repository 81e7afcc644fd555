import { describe, expect, it } from 'vitest';
import { formatCount } from '@/lib/format/count';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { LoadSeriesAnswer, LoadTotalsAnswer } from '@/lib/views/load/schema';
import { fetchApi, getJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const cluster = 'catalog-stable';

/** Successful requests up to a moment, by cluster. The time before it covers all of the recording. */
async function reported(clientId: string, at: string): Promise<Record<string, string>> {
  const search = new URLSearchParams({ client: clientId, at, span: '2h' });
  const { groups } = await getJson<LoadTotalsAnswer>(api(`load/totals?${search}`));
  return Object.fromEntries(groups.map(({ name, totals }) => [name, totals.successful]));
}

let moment: string;
let then: Record<string, string>;
let path = '';
let stored: LoadSeriesAnswer;
let file: Uint8Array<ArrayBuffer>;
const readStored = () =>
  getJson<LoadSeriesAnswer>(api(`permalinks/${path.slice(3)}/load/series?measure=requests,errors`));

describe('the load of a client, in time', () => {
  it('follows the scrubber, and can be shared', async () => {
    const client = await findClient(story, 'shop-web');
    moment = await waitUntil(
      'the client reported',
      async () => {
        const at = new Date().toISOString();
        return (await reported(client.id, at))[cluster] !== undefined && at;
      },
      90_000,
    );
    const first = Number((await reported(client.id, moment))[cluster]);
    await waitUntil(
      'it reported more',
      async () => Number((await reported(client.id, new Date().toISOString()))[cluster]) > first,
      90_000,
    );
    // A report that was received before this moment may have been stored after it.
    then = await reported(client.id, moment);

    // 1. At the moment the page shows what had been reported then; now it shows more.
    const page = await openPage(`/clients/${client.id}/load?at=${moment}&from=now-2h`);
    await page.getByText('Viewing the past').waitFor();
    const row = page.getByRole('row').filter({ hasText: cluster });
    const words = `${formatCount(Number(then[cluster]))} ok`;
    await row.getByText(words).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await row.getByText(words).waitFor({ state: 'hidden' });
    await row.getByText(/\d ok/).waitFor();

    // 2. A step back selects a moment of the past.
    await page.getByRole('button', { name: 'Previous event' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('at') !== null);
    await page.getByText('Viewing the past').waitFor();

    // 3. A permalink and an export contain it.
    await visit(page, `/clients/${client.id}/load?at=${moment}&from=now-2h&by=locality`);
    await page.getByRole('row').filter({ hasText: 'eu-west1-a' }).first().waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    path = new URL(href ?? '').pathname;
    stored = await readStored();
    expect(Object.fromEntries(stored.groups.map(({ name, totals }) => [name, totals.successful]))).toEqual(
      then,
    );
    file = new Uint8Array(
      await (await fetchApi(api(`export?client=${client.id}&to=${moment}`))).arrayBuffer(),
    );
  });
});

describeWithoutLab('the load of a client, in time', () => {
  it('is the same in its permalink, by another grouping too, and in its file', async () => {
    expect(await readStored()).toEqual(stored);
    const page = await openPage(path);
    const row = page.getByRole('row').filter({ hasText: cluster });
    const words = `${formatCount(Number(then[cluster]))} ok`;
    await page
      .getByText(/Stored/)
      .first()
      .waitFor();
    await page.getByRole('row').filter({ hasText: 'eu-west1-a' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('cluster');
    await row.getByText(words).waitFor();

    const imported = await fetchApi(api('imports?name=load.xdscope'), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
    });
    expect(imported.status).toBe(201);
    const { items } = await getJson<{ items: ClientSummary[] }>(api('clients'));
    const copy = items.find(({ scope }) => scope === 'load.xdscope');
    expect(await reported(copy?.id ?? '', moment)).toEqual(then);
    await visit(page, `/clients/${copy?.id}/load?at=${moment}&from=now-2h`);
    await row.getByText(words).waitFor();
  });
});
