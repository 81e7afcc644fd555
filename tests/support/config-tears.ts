import { expect } from 'vitest';
import type { LabResource } from '@/lib/views/lab/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { fetchApi, getJson, sendJson } from './e2e-server';
import { labStartMs } from './e2e-story';
import { api } from './shared-lab';
import { waitUntil } from './wait-until';

async function put(typeUrl: string, name: string, resource: unknown): Promise<void> {
  expect((await sendJson('PUT', api('lab/resources'), { typeUrl, name, resource })).status).toBe(200);
}

const clusters = ['cart', 'search'];
const later = (resource: unknown): unknown =>
  JSON.parse(
    clusters.reduce((text, name) => text.replaceAll(`"${name}"`, `"late-${name}"`), JSON.stringify(resource)),
  );

/**
 * Makes two config tears of shop-web at the same time: its routes name two clusters that follow later. Afterwards, the
 * resources of the lab are as before.
 */
export async function makeConfigTears(clientId: string): Promise<void> {
  const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
  const find = (typeUrl: string, name: string): unknown => {
    const found = items.find((each) => each.typeUrl === typeUrl && each.name === name);
    if (found === undefined) throw new Error(`the lab has no ${typeUrl} "${name}"`);
    return found.resource;
  };
  const routes = find(RDS.typeUrl, 'web-routes');
  const resolved = () => getJson<Resolved>(api(`clients/${clientId}/resolved`));
  const waitUntilComplete = () =>
    waitUntil('its config is complete', async () => (await resolved()).status === 'resolved', labStartMs);
  // What is missing while a client starts is no tear.
  await waitUntilComplete();
  try {
    await put(RDS.typeUrl, 'web-routes', later(routes));
    await waitUntil(
      'the client waits for both clusters',
      async () => (await resolved()).missing.filter(({ name }) => name.startsWith('late-')).length === 2,
      labStartMs,
    );
    for (const name of clusters) {
      await put(EDS.typeUrl, `late-${name}`, { clusterName: `late-${name}`, endpoints: [] });
      await put(CDS.typeUrl, `late-${name}`, later(find(CDS.typeUrl, name)));
    }
    await waitUntilComplete();
  } finally {
    await put(RDS.typeUrl, 'web-routes', routes);
    for (const name of clusters) {
      for (const typeUrl of [CDS.typeUrl, EDS.typeUrl]) {
        await fetchApi(api(`lab/resources?${new URLSearchParams({ typeUrl, name: `late-${name}` })}`), {
          method: 'DELETE',
        });
      }
    }
  }
  await waitUntil(
    'the log has both config tears',
    async () => {
      const { items: tears } = await getJson<Tears>(api(`clients/${clientId}/tears`));
      return clusters.every((name) => tears.some(({ resources }) => resources[0]?.name === `late-${name}`));
    },
    labStartMs,
  );
}
