import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Convergence } from '@/lib/api/convergence';
import type { LabResource } from '@/lib/api/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { getJson, sendJson } from '../support/e2e-server';
import { findClient, labStartMs, type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

let story: Story;
const api = (path: string): string => `${story.server.url}/api/v1/${path}`;

beforeAll(async () => {
  story = await startStory(['--lab', '--no-weather']);
}, 120_000);
afterAll(async () => {
  await story?.end();
});

function untilSpread(query: string, holds: (found: Convergence) => boolean): Promise<Convergence> {
  return waitUntil(
    `the spread of ${query}`,
    async () => {
      const response = await fetch(api(`convergence?${query}`));
      const found = response.ok ? ((await response.json()) as Convergence) : undefined;
      return found !== undefined && holds(found) && found;
    },
    labStartMs,
  );
}

describe('convergence in the lab', { timeout: 240_000 }, () => {
  it('a changed cluster is accepted by all of its clients, after times that are plausible', async () => {
    await findClient(story, 'shop-web');
    await findClient(story, 'shop-mobile');
    const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
    const cart = items.find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === 'cart');
    if (cart === undefined) throw new Error('the lab has no cluster "cart"');
    // Those that came after the first sight are told, but not counted.
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
  });

  it('who refuses is stuck by name, with its text, and converges after the mending', async () => {
    expect((await sendJson('POST', api('lab/mischief/priority-gap'), { active: true })).status).toBe(200);
    const refused = await untilSpread('type=EDS&resource=cart', ({ spread }) => spread.counts.refused >= 2);
    const stuck = refused.clients.filter(({ kind }) => kind === 'refused');
    expect(stuck.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['shop-mobile', 'shop-web']));
    for (const { text, before } of stuck) {
      expect(text).toMatch(/priorit/i);
      expect(before).not.toBeNull();
    }
    expect(refused.spread.percentiles.at(-1)?.ofAll, 'not reached').toBeNull();

    const page = await story.newPage();
    await page.goto(`${story.server.url}/convergence?type=EDS&resource=cart`);
    await page
      .getByRole('table', { name: /Clients/ })
      .getByText('shop-mobile')
      .waitFor();
    await page
      .getByText(/priorit/i)
      .first()
      .waitFor();
    await page.close();

    await sendJson('POST', api('lab/mischief/priority-gap'), { active: false });
    const mended = await untilSpread(
      `type=${encodeURIComponent(EDS.typeUrl)}&resource=cart`,
      ({ subject, spread }) =>
        subject.hash !== refused.subject.hash && spread.accepted >= 2 && spread.counts.refused === 0,
    );
    expect(mended.contents.length).toBeGreaterThan(1);
    const earlier = await untilSpread(`type=EDS&resource=cart&hash=${refused.subject.hash}`, () => true);
    expect(earlier.spread.counts['passed-over']).toBeGreaterThanOrEqual(2);
  });

  it('no page threw an error', () => {
    expect(story.pageErrors).toEqual([]);
  });
});
