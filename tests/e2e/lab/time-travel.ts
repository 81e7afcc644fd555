import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ClientChanges } from '@/lib/views/changes/schema';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { LabResource } from '@/lib/views/lab/schema';
import type { Permalink } from '@/lib/views/permalinks/schema';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { CDS } from '@/lib/xds/resource-type';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const cluster = 'cart';

async function readRow(clientId: string, at?: string) {
  const search = new URLSearchParams({ type: 'CDS', name: cluster, ...(at && { at }) });
  const { items, moment } = await getJson<ResourcePage>(api(`clients/${clientId}/resources?${search}`));
  return { row: items[0], moment };
}

/** LRS, istiod, channelz and test clients do not report every resource of a client. */
const reportsAll = ({ vantage }: ClientDetail['reports'][number]): boolean =>
  !['lrs', 'istiod', 'channelz', 'interop'].includes(vantage);

/** Every resource is ACKED with the content of the control plane, and all sources report as many resources. */
async function isSettled(clientId: string): Promise<boolean> {
  const { items, total } = await getJson<ResourcePage>(api(`clients/${clientId}/resources`));
  const { reports, duplicateNodeId } = await getJson<ClientDetail>(api(`clients/${clientId}`));
  const agree = reports.filter(reportsAll).every(({ resources }) => resources === total);
  const isWhole = items.every(
    ({ clientStatus, hash, controlPlane }) => clientStatus === 'ACKED' && controlPlane?.hash === hash,
  );
  return total >= 15 && agree && isWhole && !duplicateNodeId;
}

/** Changes a limit of the cluster, and waits until the client has accepted it. Returns its hash as the table shows it. */
async function change(clientId: string, maxRequests: number): Promise<string> {
  const before = (await readRow(clientId)).row?.hash;
  const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
  const held = items.find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === cluster);
  const resource = { ...(held?.resource as object), circuitBreakers: { thresholds: [{ maxRequests }] } };
  const changedAt = Date.now();
  const answer = await sendJson('PUT', api('lab/resources'), {
    typeUrl: CDS.typeUrl,
    name: cluster,
    resource,
  });
  expect(answer.status).toBe(200);
  const { row } = await waitUntil(
    'the client has accepted the change, and every source reports it',
    async () => {
      const found = await readRow(clientId);
      const { reports } = await getJson<ClientDetail>(api(`clients/${clientId}`));
      const late = reports.filter((each) => reportsAll(each) && each.lastChangedAt <= changedAt);
      const isTaken = found.row?.clientStatus === 'ACKED' && found.row.hash !== before;
      return isTaken && late.length === 0 && (await isSettled(clientId)) ? found : undefined;
    },
  );
  return row?.hash?.slice(0, 8) ?? '';
}

/** Waits until the table at a moment ("": now) contains the hash, and asserts that it does not contain the other one. */
async function expectHash(clientId: string, at: string, hash: string, other: string) {
  const search = new URLSearchParams({ type: 'CDS', q: cluster, ...(at !== '' && { at }) });
  const page = await openPage(`/clients/${clientId}/resources?${search}`);
  await page.getByText(hash, { exact: true }).first().waitFor();
  expect(await page.getByText(other, { exact: true }).count()).toBe(0);
  expect(await page.getByText('Viewing the past').count()).toBe(at === '' ? 0 : 1);
}

/** The moment in the URL; null: now. */
function momentOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('at');
}

let path = '';
let stored: Permalink;
let travelled: { t1: string; old: ResourcePage['items'][number] | undefined } & Record<
  'clientId' | 'first' | 'second',
  string
>;

describe('time travel', () => {
  it('shows a client at a moment, steps to the next event, compares two moments, and shares one', async () => {
    const client = await findClient(story, 'shop-web');
    await waitUntil(
      'every resource is ACKED with the content of the control plane',
      async () => (await isSettled(client.id)) || undefined,
    );
    const first = await change(client.id, 300);
    const { row: old } = await readRow(client.id);
    const t1 = new Date().toISOString();
    const second = await change(client.id, 400);
    travelled = { t1, old, clientId: client.id, first, second };
    expect(second).not.toBe(first);

    // The API returns the moment, with the content of then.
    const then = await readRow(client.id, t1);
    expect(then.row).toMatchObject({ versionInfo: old?.versionInfo, hash: old?.hash });
    expect(then.moment).toMatchObject({ at: Date.parse(t1), incomplete: '' });
    expect((await readRow(client.id)).moment).toBeUndefined();

    // The page shows different contents at the moment and now.
    await expectHash(client.id, t1, first, second);
    await expectHash(client.id, '', second, first);

    // Steps lead from the moment to the second version.
    const page = await openPage(`/clients/${client.id}/resources?type=CDS&q=${cluster}&at=${t1}`);
    await page.getByText('Viewing the past').waitFor();
    await waitUntil('stepping forward leads to the second version', async () => {
      if ((await page.getByText(second, { exact: true }).count()) > 0) return true;
      const before = momentOf(page);
      await page.getByRole('button', { name: 'Next event' }).click();
      await waitUntil('the next moment is in sight', async () => {
        const arriving = await page.getByText('Loading another time').count();
        return (momentOf(page) !== before && arriving === 0) || undefined;
      });
      return undefined;
    });
    expect(momentOf(page)).toMatch(/^seq:\d+$/);

    // Between the moment and now exactly that resource changed.
    await visit(page, `/clients/${client.id}/resources?since=${t1}`);
    const panel = page.getByRole('region', { name: 'What changed between A and B' });
    await panel.getByRole('listitem').first().waitFor();
    const changes = await getJson<ClientChanges>(
      api(`clients/${client.id}/changes?from=${t1}&content=other`),
    );
    // The control plane may still report others, with equal content.
    const others = changes.items.filter(
      ({ kind, differs }) => kind !== 'changed' || differs.includes('content'),
    );
    expect(others.map(({ kind, name }) => ({ kind, name }))).toEqual([{ kind: 'changed', name: cluster }]);
    await panel.getByText(cluster, { exact: true }).first().waitFor();

    // B is set with the keyboard, and stays when the views show another moment.
    await visit(page, `/clients/${client.id}/graph?since=${t1}`);
    const lit = page.getByRole('button', { name: /changed since A/ });
    await lit.first().waitFor();
    await page.keyboard.press('b');
    await page.waitForURL(({ searchParams }) => searchParams.get('until') !== null);
    expect(momentOf(page)).toBe(new URL(page.url()).searchParams.get('until'));
    await page.getByText('Viewing the past').waitFor();
    await lit.first().waitFor();
    await page.keyboard.press('Shift+A');
    await page.waitForURL(({ searchParams }) => searchParams.get('at') === t1);
    await panel.getByText('The views show another time than B').waitFor();
    await lit.first().waitFor({ state: 'hidden' });
    await panel.getByText(cluster, { exact: true }).first().waitFor();
    // The arrow keys move B from event to event, and Delete removes it.
    const flag = page.getByRole('slider', { name: 'B of the comparison' });
    const until = new URL(page.url()).searchParams.get('until') ?? '';
    await flag.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(({ searchParams }) => (searchParams.get('until') ?? until) < until);
    await page.getByText('Viewing the past').waitFor();
    await panel.getByText('The views show another time than B').waitFor({ state: 'hidden' });
    await page.keyboard.press('Delete');
    await page.waitForURL(({ searchParams }) => searchParams.get('until') === null);
    await flag.waitFor({ state: 'hidden' });
    await panel.getByRole('button', { name: 'Clear comparison' }).click();
    await panel.waitFor({ state: 'hidden' });

    // The permalink contains the moment.
    await visit(page, `/clients/${client.id}/graph?at=${t1}`);
    await page.getByText('Viewing the past').waitFor();
    await page.getByRole('region', { name: 'Graph' }).waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    path = new URL(href ?? '').pathname;
    stored = await getJson<Permalink>(api(`permalinks/${path.slice(3)}`));
    expect(stored.moment).toMatchObject({ at: Date.parse(t1) });
  });
});

describeWithoutLab('time travel', () => {
  it('shows the moments and the permalink of before the restart', async () => {
    const id = path.slice(3);
    const { t1, old, clientId, first, second } = travelled;
    expect(await getJson<Permalink>(api(`permalinks/${id}`))).toEqual(stored);
    const kept = await getJson<ResourcePage>(api(`permalinks/${id}/resources?type=CDS&name=${cluster}`));
    expect(kept.items[0]).toMatchObject({ versionInfo: old?.versionInfo, hash: old?.hash });
    const page = await openPage(path);
    await page
      .getByText(/Stored/)
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Graph' }).waitFor();

    await expectHash(clientId, t1, first, second);
  });
});
