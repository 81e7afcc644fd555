import { describe, expect, it } from 'vitest';
import type { Churn } from '@/lib/views/churn/schema';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { LabResource } from '@/lib/views/lab/schema';
import type { Convergence, RecentConvergence } from '@/lib/views/pushes/schema';
import type { Source } from '@/lib/views/sources/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { fetchApi, getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

function untilSpread(query: string, holds: (found: Convergence) => boolean): Promise<Convergence> {
  return waitUntil(
    `the spread of ${query}`,
    async () => {
      const response = await fetchApi(api(`convergence?${query}`));
      const found = response.ok ? ((await response.json()) as Convergence) : undefined;
      return found !== undefined && holds(found) && found;
    },
    labStartMs,
  );
}

describe('convergence in the lab', () => {
  it('a changed cluster is accepted by all of its clients, after times that are plausible', async () => {
    await findClient(story, 'shop-web');
    await findClient(story, 'shop-mobile');
    const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
    const cart = items.find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === 'cart');
    if (cart === undefined) throw new Error('the lab has no cluster "cart"');
    // Clients that connected after the first observation are listed, but not counted.
    const before = await untilSpread('type=CDS&resource=cart', ({ clients }) => {
      const names = clients.map(({ nodeId }) => nodeId);
      return names.includes('shop-web') && names.includes('shop-mobile');
    });
    const changed = {
      typeUrl: CDS.typeUrl,
      resource: { ...(cart.resource as object), connectTimeout: '3.5s' },
    };
    expect((await sendJson('PUT', api('lab/resources'), changed)).status).toBe(200);
    const after = await untilSpread(
      'type=CDS&resource=cart',
      ({ subject, spread }) =>
        subject.hash !== before.subject.hash && spread.total >= 2 && spread.accepted === spread.total,
    );
    const [, , p99] = after.spread.percentiles;
    expect(p99?.ofAll?.toMs).toBeLessThan(20_000);
    expect(after.clients.filter(({ kind }) => kind === 'accepted').map(({ nodeId }) => nodeId)).toEqual(
      expect.arrayContaining(['shop-web', 'shop-mobile']),
    );
    // Other stories compare with what the lab starts with.
    await sendJson('PUT', api('lab/resources'), { typeUrl: CDS.typeUrl, resource: cart.resource });
  });

  it('lists clients that reject a push with their error message, until they accept the next one', async () => {
    expect((await sendJson('POST', api('lab/faults/priority-gap'), { active: true })).status).toBe(200);
    const rejected = await untilSpread('type=EDS&resource=cart', ({ spread }) => spread.counts.rejected >= 2);
    const stuck = rejected.clients.filter(({ kind }) => kind === 'rejected');
    expect(stuck.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['shop-mobile', 'shop-web']));
    for (const { text, before } of stuck) {
      expect(text).toMatch(/priorit/i);
      expect(before).toBeDefined();
    }
    expect(rejected.spread.percentiles.at(-1)?.ofAll, 'not reached').toBeUndefined();

    const page = await openPage('/pushes?type=EDS&resource=cart');
    await page
      .getByRole('table', { name: /Clients/ })
      .getByText('shop-mobile')
      .waitFor();
    await page
      .getByText(/priorit/i)
      .first()
      .waitFor();

    await sendJson('POST', api('lab/faults/priority-gap'), { active: false });
    const resolved = await untilSpread(
      `type=${encodeURIComponent(EDS.typeUrl)}&resource=cart`,
      ({ subject, spread }) =>
        subject.hash !== rejected.subject.hash && spread.accepted >= 2 && spread.counts.rejected === 0,
    );
    expect(resolved.contents.length).toBeGreaterThan(1);
    // The NACKed content and the NACKed push stay so after the clients have recovered.
    const earlier = await untilSpread(
      `type=EDS&resource=cart&hash=${rejected.subject.hash}`,
      ({ spread }) => spread.recovered >= 2,
    );
    expect(earlier.spread.counts.rejected).toBeGreaterThanOrEqual(2);
    expect(earlier.spread.accepted).toBe(0);
    const { items } = await getJson<RecentConvergence>(api('convergence/recent?limit=100'));
    const push = items.find(
      ({ subject }) => subject.service === 'EDS' && subject.version === rejected.subject.version,
    );
    expect(push?.nackedBy.map(({ nodeId }) => nodeId)).toEqual(
      expect.arrayContaining(['shop-mobile', 'shop-web']),
    );
    expect(push?.spread.counts.rejected).toBeGreaterThanOrEqual(2);
    // A client that was sent other endpoints only, under the same version, may have accepted it.
    const ofPush = await untilSpread(`type=EDS&version=${rejected.subject.version}`, () => true);
    const concerned = new Set(rejected.clients.map(({ clientId }) => clientId));
    const accepting = ofPush.clients.filter(({ kind, probe }) => kind === 'accepted' && probe === undefined);
    expect(accepting.filter(({ clientId }) => concerned.has(clientId))).toEqual([]);
    // The log has the NACK of each of them, and the probes of xdscope are not among them.
    const { items: nacks } = await getJson<HistoryPage>(
      api(`history?type=EDS&kind=nack-sent&vantage=tap&version=${rejected.subject.version}`),
    );
    const rejecters = new Set(nacks.map(({ clientId }) => clientId));
    for (const { clientId } of push?.nackedBy ?? []) expect(rejecters).toContain(clientId);

    await visit(page, '/pushes');
    const pushes = page.getByRole('table', { name: /Newest pushes/ });
    const row = pushes.getByRole('row').filter({
      has: page.getByRole('link', { name: rejected.subject.version, exact: true }),
      hasText: 'EDS',
    });
    await row.getByText('NACKED', { exact: true }).waitFor();
    await row.getByRole('link', { name: rejected.subject.version, exact: true }).click();
    const clients = page.getByRole('table', { name: /Clients: \d+ of/ });
    const client = clients.getByRole('row').filter({ hasText: 'shop-web' });
    await client.getByText('NACKED', { exact: true }).waitFor();
    await client.getByRole('link', { name: /priorit/i }).waitFor();
  });

  it('a page and its links show the time in the address', async () => {
    const now = await untilSpread('type=EDS&resource=cart', () => true);
    const [, rejected] = now.contents;
    if (rejected === undefined) throw new Error('expected more than one content of the cart');
    const to = new Date(now.firstAt - 1).toISOString();
    const query = new URLSearchParams({ type: 'EDS', resource: 'cart', to });
    const then = await untilSpread(String(query), () => true);
    expect(then.subject.hash).toBe(rejected.hash);
    expect(then.until).toBe(Date.parse(to));

    const page = await openPage(`/pushes?${new URLSearchParams({ to })}`);
    await page
      .getByRole('table', { name: /Newest pushes/ })
      .getByRole('link')
      .first()
      .click();
    await page.waitForURL(/to=/);
    await visit(page, `/pushes?${query}`);
    const stuck = page.getByText(/2 clients stuck/);
    await stuck.waitFor();
    for (const nodeId of ['shop-web', 'shop-mobile']) {
      await stuck.locator('xpath=..').getByRole('link', { name: nodeId }).waitFor();
    }
    for (const percent of ['p50', 'p95', 'p99']) {
      await page.getByRole('columnheader', { name: percent, exact: true }).waitFor();
    }
    // The path of an earlier version.
    await page.goto(`${story.server.url}/convergence?${new URLSearchParams({ to })}`);
    await page.waitForURL(/\/pushes\?to=/);
    await page.getByRole('link', { name: 'By resource' }).click();
    await page.waitForURL(/\/pushes\?view=resources&.*to=/);
  });

  it('a push with a new version and equal content is listed as redundant', async () => {
    const page = await openPage('/lab');
    await page.getByRole('button', { name: 'Re-push unchanged' }).click();
    await waitUntil(
      'the push is listed as redundant',
      async () => {
        const { items } = await getJson<RecentConvergence>(api('convergence/recent'));
        return items.find(({ kind, subject }) => kind === 'redundant' && subject.service === 'RDS');
      },
      labStartMs,
    );
    const reported = await waitUntil(
      'churn counts it',
      async () => {
        const { unchanged } = await getJson<Churn>(api('churn?type=RDS'));
        return unchanged.find(({ server, emptyVersions }) => server === 'xdscope-lab' && emptyVersions > 0);
      },
      labStartMs,
    );
    expect(reported.unchangedClients).toBeGreaterThan(1);
    expect(reported.unchangedBytes).toBeGreaterThan(0);
    await visit(page, '/pushes?view=resources&type=RDS');
    const table = page.getByRole('table', { name: 'Pushes with a new version and equal content' });
    await table.getByText('xdscope-lab').waitFor();
    await table.getByRole('link', { name: reported.lastVersion, exact: true }).click();
    await page.getByText('Redundant push: no client received other content').waitFor();
  });

  it('pushes of two control planes with the same version are apart', async () => {
    const second = new ManagementServer({ clock: systemClock, identifier: 'second-plane' });
    try {
      const target = await second.listen();
      const ofSecond = (type: string) => ({
        ...{ typeUrl: CDS.typeUrl, name: 'of-second' },
        bytes: encodeBody(CDS.typeUrl, { name: 'of-second', type }),
      });
      second.setResource('*', ofSecond('STATIC'), '1');
      const source = { kind: 'ads', target };
      const added = await sendJson('POST', api('sources'), source);
      expect(added.status).toBe(201);
      const { id } = (await added.json()) as Source;
      await waitUntil('the probe is there', () => second.connectedNodes().length > 0, labStartMs);
      const { items: before } = await getJson<RecentConvergence>(api('convergence/recent?limit=100'));
      const version = before.find(({ subject }) => subject.service === 'CDS')?.subject.version ?? '';
      expect(version).not.toBe('');
      second.setResource('*', ofSecond('STRICT_DNS'), version);
      const found = await waitUntil(
        'both servers are reported to have sent the version',
        async () => {
          const { items } = await getJson<RecentConvergence>(api('convergence/recent?limit=100'));
          const own = items.filter(({ subject }) => subject.version === version && subject.service === 'CDS');
          return own.length === 2 && own;
        },
        labStartMs,
      );
      const byServer = new Map(found.map((push) => [push.subject.server, push]));
      expect(byServer.get('second-plane')).toMatchObject({
        names: ['of-second'],
        // Only a probe of xdscope receives it.
        spread: { total: 0, accepted: 0, probes: { total: 1, accepted: 1 } },
      });
      expect(byServer.get('xdscope-lab')?.names).not.toContain('of-second');
      await fetchApi(api(`sources/${encodeURIComponent(id)}`), { method: 'DELETE' });
    } finally {
      await second.close();
    }
  });
});
