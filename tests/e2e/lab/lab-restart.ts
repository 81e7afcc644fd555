import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { HistoryEvent, HistoryPage } from '@/lib/views/history/schema';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { getJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

let client: ClientSummary;
let events: HistoryEvent[];
let held: ResourcePage;
let recordedAt: string;

const resourcesThen = () => getJson<ResourcePage>(api(`clients/${client.id}/resources?at=${recordedAt}`));

/** The server was started without the lab, and is the last one of these data. */
export function describeLabRestart(): void {
  describe('the lab, started on its page over its own recording', () => {
    beforeAll(async () => {
      client = await findClient(story, 'shop-web');
      ({ items: events } = await getJson<HistoryPage>(api(`history?client=${client.id}&limit=1000`)));
      // The moment of a change while the client ran.
      const changed = events.find(({ kind }) => kind === 'client-config-changed');
      recordedAt = new Date(changed?.at ?? 0).toISOString();
      held = await resourcesThen();
      const page = await story.newPage();
      await page.goto(`${story.server.url}/lab`);
      await page.getByText('live', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Start the lab' }).click();
      await page.getByRole('heading', { name: 'Faults' }).waitFor();
      await page.close();
    });

    it('has the same clients, which are live', async () => {
      await waitUntil(
        'the client is live',
        async () => {
          const { id, freshness } = await findClient(story, 'shop-web');
          return id === client.id && freshness === 'live';
        },
        labStartMs,
      );
    });

    it('shows what it recorded before, and continues', async () => {
      // Events of several sources may be some milliseconds out of order.
      const end = new Date(Math.max(...events.map(({ at }) => at))).toISOString();
      const newest = Math.max(...events.map(({ seq }) => seq));
      const read = async (range: string) =>
        (await getJson<HistoryPage>(api(`history?client=${client.id}&limit=1000&${range}`))).items;
      expect((await read(`to=${end}`)).filter(({ seq }) => seq <= newest)).toEqual(events);
      await waitUntil(
        'the client has new events',
        async () => (await read(`from=${end}`)).some(({ seq }) => seq > newest),
        labStartMs,
      );
    });

    it('shows what a client held at a moment of before', async () => {
      expect(held.items.length).toBeGreaterThan(3);
      expect((await resourcesThen()).items).toEqual(held.items);
    });
  });
}
