import { describe, expect, it } from 'vitest';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import { formatHintKey, missions } from '@/lib/views/lab/missions';
import type { LoadRow } from '@/lib/views/load/rows-schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { fetchApi, getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

async function setFault(name: string, active: boolean): Promise<void> {
  expect((await sendJson('POST', api(`lab/faults/${name}`), { active })).status).toBe(200);
}

async function listIssues(query = ''): Promise<Issue[]> {
  return (await getJson<IssuePage>(api(`issues${query}`))).items;
}

function findIssue(name: string, query = ''): Promise<Issue> {
  return waitUntil(
    `an issue of ${name}`,
    async () => (await listIssues(query)).find(({ resource }) => resource?.name === name),
    labStartMs,
  );
}

/** The number of requests that the client has sent to any backend, as it reports them. */
async function countRequests(clientId: string): Promise<number> {
  const { items } = await getJson<{ items: LoadRow[] }>(api(`load?client=${clientId}`));
  const localities = items.flatMap((row) => row.localities);
  return localities.reduce((sum, { successful, errors }) => sum + Number(successful) + Number(errors), 0);
}

describe('issues of the lab', () => {
  it('a deleted listener ranks above a NACK whose last good config is in effect', async () => {
    const web = await findClient(story, 'shop-web');
    const mobile = await findClient(story, 'shop-mobile');
    await waitUntil(
      'both clients send requests',
      async () => (await countRequests(mobile.id)) > 0,
      labStartMs,
    );
    const startedAt = Date.now();
    await setFault('unsupported-policy', true);
    await setFault('missing-listener', true);
    const [nack, absent] = [await findIssue('recommendations'), await findIssue('mobile.shop.example')];

    expect(absent).toMatchObject({
      kind: 'absent',
      severity: 'critical',
      state: 'open',
      title: 'Listener mobile.shop.example does not exist',
      impact: { level: 'all-fail', text: 'Every RPC of shop-mobile to mobile.shop.example fails' },
      clients: { total: 1 },
    });
    expect(nack).toMatchObject({
      kind: 'nack',
      severity: 'minor',
      impact: { level: 'none', text: 'None: the last good config is in effect' },
    });
    const order = (await listIssues()).map(({ id }) => id);
    expect(order.indexOf(absent.id)).toBeLessThan(order.indexOf(nack.id));
    // The overview has them and their clients over time in its HTML, so that nothing on it moves.
    const html = await (await fetchApi(story.server.url)).text();
    for (const text of [absent.title, nack.title])
      expect(html).toContain(`<span class="min-w-0 wrap-anywhere">${text}`);
    expect(html).toContain('drag to set the time range');
    for (const { since } of [absent, nack]) {
      expect(Number(since) >= startedAt, `${since} after ${startedAt}`).toBe(true);
    }
    expect(nack.cause.map(({ step }) => step)).toEqual(['push', 'resource', 'field', 'change']);
    expect(nack.clients.items.map(({ nodeId }) => nodeId)).toEqual(['shop-web']);

    // The RPCs of the client itself: none reaches a backend any more, while those of shop-web do.
    await waitUntil('the last load report of shop-mobile before the fault is received', async () => {
      const before = await countRequests(mobile.id);
      const others = await countRequests(web.id);
      await waitUntil('shop-web reports load twice', async () => (await countRequests(web.id)) > others + 20);
      return (await countRequests(mobile.id)) === before;
    });
  });

  it('the overview shows impact, cause and onset, and opens the evidence with it selected', async () => {
    const page = await openPage('/');
    const card = page.getByRole('article', { name: 'Listener mobile.shop.example does not exist' });
    await card.getByText('Every RPC of shop-mobile to mobile.shop.example fails').waitFor();
    await card.getByText(/^since \d\d:\d\d:\d\d/).waitFor();
    const titles = await page.getByRole('article').evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(titles.indexOf('Listener mobile.shop.example does not exist')).toBeLessThan(
      titles.indexOf('Cluster recommendations is rejected'),
    );
    await card.getByRole('link', { name: 'Resource', exact: true }).click();
    await page.getByRole('region', { name: 'Inspector' }).getByText('mobile.shop.example').first().waitFor();
    await page.goBack();
    const nack = page.getByRole('article', { name: 'Cluster recommendations is rejected' });
    await nack.getByRole('button', { name: 'Show the change' }).click();
    await nack.getByText(/^\+ .*RANDOM/).waitFor();
    await nack.getByRole('link', { name: 'Rejected payload' }).click();
    await page.getByText('RANDOM').first().waitFor();
  });

  it('a hint of a mission marks what it is about, until the mission is left', async () => {
    const page = await openPage('/lab');
    await page.getByText('Find the NACK and its field').click();
    await page.getByRole('button', { name: 'Show hint 1 of 3' }).click();
    await page.getByRole('link', { name: 'Issues on the Overview' }).click();
    const marked = page.locator('[data-hinted]');
    await marked.waitFor();
    expect(await marked.getAttribute('aria-label')).toBe('Cluster recommendations is rejected');
    const hint = page.getByRole('complementary', { name: 'Mission' });
    await hint.getByRole('button', { name: 'Go to the marked part' }).press('Enter');
    expect(await page.locator('[data-hinted] :focus').count()).toBe(1);
    await hint.getByRole('button', { name: 'Leave the mission' }).press('Enter');
    await hint.waitFor({ state: 'detached' });
    expect(await marked.count()).toBe(0);
    await page.waitForURL((url) => !url.searchParams.has('hint'));
  });

  it('each hint of a mission that needs no other fault marks an element of its screen', async () => {
    const page = await openPage('/');
    const faults: readonly (string | null)[] = [null, 'unsupported-policy', 'missing-listener'];
    for (const mission of missions.filter(({ fault }) => faults.includes(fault))) {
      for (const [index, { screen, target }] of mission.hints.entries()) {
        const key = formatHintKey(mission, index);
        const base = screen.client === null ? '' : `/clients/${(await findClient(story, screen.client)).id}`;
        await visit(page, `${base}${screen.path}${screen.path.includes('?') ? '&' : '?'}hint=${key}`);
        const marked = page.locator(`${target}[data-hinted]`).first();
        await waitUntil(`hint ${key} marks ${target}`, () => marked.isVisible());
      }
    }
  });

  it('an issue is muted until a time, and leaves the open ones', async () => {
    const { id } = await findIssue('recommendations');
    const until = Date.now() + 3_600_000;
    expect((await sendJson('POST', api(`issues/${id}/mute`), { until })).status).toBe(200);
    expect((await listIssues('?state=open')).map((each) => each.id)).not.toContain(id);
    expect((await listIssues('?state=muted')).map((each) => each.mutedUntil)).toEqual([until]);
    expect((await sendJson('POST', api(`issues/${id}/mute`), { until: 0 })).status).toBe(400);
    expect((await sendJson('POST', api(`issues/${id}/mute`), { until: null })).status).toBe(200);
    expect((await listIssues('?state=open')).map((each) => each.id)).toContain(id);
  });

  it('a repaired issue is resolved, and is still open at the moment before', async () => {
    const during = new Date().toISOString();
    const { id, since } = await findIssue('mobile.shop.example');
    await setFault('missing-listener', false);
    await setFault('unsupported-policy', false);
    const resolved = await findIssue('mobile.shop.example', '?state=resolved');
    expect(resolved).toMatchObject({ id, since, state: 'resolved', severity: 'critical' });
    const mobile = await findClient(story, 'shop-mobile');
    const { items } = await getJson<{ items: ResourceRowJson[] }>(
      api(`clients/${mobile.id}/resources?type=LDS`),
    );
    expect(items.map(({ clientStatus }) => clientStatus)).toEqual(['ACKED']);
    const then = await listIssues(`?at=${during}`);
    expect(then.find((each) => each.id === id)).toMatchObject({
      state: 'open',
      since,
      impact: { text: 'Every RPC of shop-mobile to mobile.shop.example fails' },
    });
    const page = await openPage(`/issues/${id}`);
    await page.getByText('Every RPC of shop-mobile to mobile.shop.example fails').waitFor();
    await page.getByText('no longer has it').waitFor();
  });
});
