import { describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { LabResource } from '@/lib/views/lab/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { fetchApi, getJson } from '../../support/e2e-server';
import { api } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const get = <T>(route: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
  getJson<T>(api(`${route.slice(1)}?${new URLSearchParams(query)}`));

async function listLabClients(): Promise<ClientSummary[]> {
  const { items } = await get<{ items: ClientSummary[] }>('/clients');
  return items.filter(({ isProbe, resources }) => !isProbe && resources > 0);
}

async function setLabResource(resource: Omit<LabResource, 'version'>): Promise<void> {
  const response = await fetchApi(api('lab/resources'), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(resource),
  });
  expect(response.status).toBe(200);
}

/** The clusters that the client watches, and those that its dialled names resolve to. */
async function compare(id: string): Promise<{ watched: string[]; resolved: string[]; statuses: string[] }> {
  const { items } = await get<{ items: ResourceRowJson[] }>(`/clients/${id}/resources`);
  const watched = items.filter(({ typeUrl }) => typeUrl === CDS.typeUrl).map(({ name }) => name);
  const { starts } = await get<Resolved>(`/clients/${id}/resolved`);
  const resolved = new Set<string>();
  const statuses: string[] = [];
  for (const { listener, state } of starts) {
    // shop-batch also watches a listener that does not exist.
    if (state === 'DOES_NOT_EXIST') continue;
    const answer = await get<Resolved>(`/clients/${id}/resolved`, { target: `xds:///${listener}` });
    statuses.push(answer.status);
    for (const { name } of answer.clusters.items) resolved.add(name);
  }
  return { watched: watched.sort(), resolved: [...resolved].sort(), statuses };
}

describe('the resolved config of the lab', () => {
  it('names for each real client the clusters that the client itself watches', async () => {
    const clients = await waitUntil(
      'four clients are there',
      async () => {
        const all = await listLabClients();
        return all.filter(({ nodeId }) => nodeId.startsWith('shop-')).length >= 4 && all;
      },
      60_000,
    );
    for (const { id, nodeId } of clients) {
      const settled = await waitUntil(`${nodeId} is resolved`, async () => {
        const found = await compare(id);
        const isResolved = found.statuses.length > 0 && found.statuses.every((each) => each === 'resolved');
        return isResolved && found.resolved.join() === found.watched.join() && found;
      });
      expect([nodeId, settled.resolved]).toEqual([nodeId, settled.watched]);
      expect(settled.resolved.length).toBeGreaterThan(0);
    }
  });

  it('reports the tear of a route that came before its cluster, and the moment within it', async () => {
    const web = (await listLabClients()).find(({ nodeId }) => nodeId === 'shop-web');
    if (web === undefined) throw new Error('shop-web is not there');
    const own = `/clients/${web.id}`;
    const { items } = await get<{ items: LabResource[] }>('/lab/resources');
    const routes = items.find(({ name }) => name === 'web-routes');
    const cluster = items.find(({ name, typeUrl }) => name === 'cart' && typeUrl === CDS.typeUrl);
    if (routes === undefined || cluster === undefined) throw new Error('the lab is another');
    try {
      const text = JSON.stringify(routes.resource).replaceAll('"cart"', '"late-cart"');
      await setLabResource({ typeUrl: RDS.typeUrl, name: 'web-routes', resource: JSON.parse(text) });
      const torn = await waitUntil('the client waits for the cluster', async () => {
        const answer = await get<Resolved>(`${own}/resolved`);
        return answer.missing.some(({ name }) => name === 'late-cart') && answer;
      });
      expect(torn).toMatchObject({ status: 'waiting', missing: [{ name: 'late-cart', service: 'CDS' }] });
      const later = JSON.parse(JSON.stringify(cluster.resource).replaceAll('"cart"', '"late-cart"'));
      const eds = { clusterName: 'late-cart', endpoints: [] };
      await setLabResource({ typeUrl: EDS.typeUrl, name: 'late-cart', resource: eds });
      await setLabResource({ typeUrl: CDS.typeUrl, name: 'late-cart', resource: later });
      await waitUntil('it is whole again', async () => {
        const answer = await get<Resolved>(`${own}/resolved`);
        return answer.status === 'resolved' && answer;
      });
      const tears = await get<Tears>(`${own}/tears`, { listener: torn.start?.listener ?? '' });
      expect(tears.items).toContainEqual(
        expect.objectContaining({
          kind: 'route-to-unknown-cluster',
          toAt: expect.any(Number),
          resources: [
            { typeUrl: CDS.typeUrl, name: 'late-cart', service: 'CDS' },
            { typeUrl: RDS.typeUrl, name: 'web-routes', service: 'RDS' },
          ],
          a74: expect.objectContaining({ outcome: 'waits' }),
        }),
      );
      const past = await get<Resolved>(`${own}/resolved`, { at: new Date(torn.at).toISOString() });
      expect(past).toMatchObject({ status: 'waiting', missing: [{ name: 'late-cart' }] });
    } finally {
      // Other stories expect what the lab starts with.
      await setLabResource({ typeUrl: RDS.typeUrl, name: 'web-routes', resource: routes.resource });
      for (const { typeUrl } of [CDS, EDS]) {
        await fetchApi(api(`lab/resources?${new URLSearchParams({ typeUrl, name: 'late-cart' })}`), {
          method: 'DELETE',
        });
      }
    }
  });
});
