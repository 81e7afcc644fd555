import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ClientSummary } from '@/lib/views/client/schema';
import { CDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { type ShopClient, shopClients } from '@/server/lab/clients/shop-clients';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { buildShop } from '@/server/lab/shop/build-shop';
import { ShopMesh } from '@/server/lab/shop-mesh';
import { systemClock } from '@/server/observe';
import { getJson, type RunningServer, startServer } from './e2e-server';
import { freePort } from './free-port';
import { type RealClient, startRealClient } from './real-client';
import { waitUntil } from './wait-until';

export const patienceMs = 120_000;

export interface RecordedClient {
  readonly shop: ShopClient;
  readonly client: RealClient;
  /** The client id of xdscope. */
  readonly id: string;
}

/** Real clients behind a tap that rejected one resource: shop-web its routes, shop-warehouse a cluster. */
export interface Rejectionstory {
  readonly xdscope: RunningServer;
  readonly dataDir: string;
  readonly clients: readonly RecordedClient[];
  end(): Promise<void>;
}

export function findShopClient(name: string): ShopClient {
  const found = shopClients.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the lab has no client ${name}`);
  return found;
}

/** `python` runs the clients with C-core. */
export async function startRejectionstory(names: readonly string[], python = ''): Promise<Rejectionstory> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-replays-'));
  const server = new ManagementServer({ clock: systemClock });
  const backends = new Map<string, number>();
  const portOf = (backend: string): number => {
    const port = backends.get(backend) ?? backends.size + 1;
    backends.set(backend, port);
    return port;
  };
  const mesh = new ShopMesh(server, portOf);
  mesh.publish();
  const tap = `127.0.0.1:${await freePort()}`;
  const upstream = await server.listen(0);
  const xdscope = await startServer(['--no-lab', '--tap', `${tap}=${upstream}`, '--data-dir', dataDir]);
  const started = await Promise.all(
    names.map(async (name) => {
      const shop = findShopClient(name);
      return { shop, client: await startRealClient(shop, tap, python) };
    }),
  );
  const rowsOf = ({ client }: { readonly client: RealClient }) => [...client.rows().values()];
  const isCalm = () =>
    started.every(
      (each) =>
        rowsOf(each).length > 10 && rowsOf(each).every(({ clientStatus }) => clientStatus === 'ACKED'),
    );
  await waitUntil('they have accepted everything', isCalm, patienceMs);
  mesh.change({ activeFaults: new Set(['zero-weights']) });
  const inventory = { typeUrl: CDS.typeUrl, name: 'inventory' };
  const cluster = buildShop(mesh.state, portOf).find(
    ({ typeUrl, name }) => typeUrl === inventory.typeUrl && name === inventory.name,
  );
  const bytes = encodeBody(CDS.typeUrl, { ...cluster?.json, lbPolicy: 'MAGLEV' });
  mesh.override({ set: [{ ...inventory, bytes }] });
  const rejects = (each: { readonly client: RealClient }) =>
    rowsOf(each).some(({ clientStatus }) => clientStatus === 'NACKED');
  await waitUntil('they reject what is new', () => started.every(rejects), patienceMs);
  const clients = await Promise.all(
    started.map(async ({ shop, client }) => {
      const { id } = await waitUntil('xdscope knows that', async () => {
        const { items } = await getJson<{ items: ClientSummary[] }>(`${xdscope.url}/api/v1/clients`);
        const known = items.find(({ nodeId }) => nodeId === shop.name);
        return known !== undefined && JSON.stringify(known.types).includes('NACKED') && known;
      });
      return { shop, client, id };
    }),
  );
  return {
    xdscope,
    dataDir,
    clients,
    async end() {
      await Promise.all(started.map(({ client }) => client.close()));
      await xdscope.stop();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
