import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { HistoryEvent } from '@/lib/views/history/schema';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { EDS } from '@/lib/xds/resource-type';
import { lostStreamDetails } from '@/server/compose/end-lost-streams';
import { shopClients } from '@/server/lab/clients/shop-clients';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { ShopMesh } from '@/server/lab/shop-mesh';
import { systemClock } from '@/server/observe';
import { wholeHistory } from '../../support/builders/whole-history';
import { getJson, type RunningServer, startServer } from '../../support/e2e-server';
import { freePort } from '../../support/free-port';
import { type LrsClient, lrsClient } from '../../support/lrs-client';
import { type RealClient, startRealClient } from '../../support/real-client';
import { waitUntil } from '../../support/wait-until';

const patienceMs = 120_000;
const name = 'shop-web';
const reporterName = 'reports its load';

let server: ManagementServer;
let mesh: ShopMesh;
let xdscope: RunningServer;
let client: RealClient;
let reporter: LrsClient;
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-killed-'));
let startAgain: () => Promise<RunningServer>;

beforeAll(async () => {
  server = new ManagementServer({ clock: systemClock });
  const backends = new Map<string, number>();
  mesh = new ShopMesh(server, (backend) => {
    const port = backends.get(backend) ?? backends.size + 1;
    backends.set(backend, port);
    return port;
  });
  mesh.publish();
  const tap = `127.0.0.1:${await freePort()}`;
  const upstream = await server.listen(0);
  const lrs = `127.0.0.1:${await freePort()}`;
  const flags = ['--no-lab', '--tap', `${tap}=${upstream}`, '--lrs-listen', lrs, '--data-dir', dataDir];
  startAgain = () => startServer(flags);
  xdscope = await startAgain();
  const shop = shopClients.find((each) => each.name === name);
  if (shop === undefined) throw new Error(`the lab has no client ${name}`);
  client = await startRealClient(shop, tap);
  reporter = lrsClient(lrs);
});
afterAll(async () => {
  await client?.close();
  reporter?.vanish();
  await xdscope?.stop('SIGKILL');
  await server?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const history = (): Promise<HistoryEvent[]> => wholeHistory(xdscope.url);

const findClient = async (): Promise<ClientSummary | undefined> => {
  const { items } = await getJson<{ items: ClientSummary[] }>(`${xdscope.url}/api/v1/clients`);
  return items.find(({ nodeId }) => nodeId === name);
};

/** True if the client has answered everything, and the log has its answers. */
async function isRecorded(): Promise<boolean> {
  const found = await findClient();
  if (found === undefined) return false;
  const path = `/api/v1/clients/${found.id}/resources?limit=1000`;
  const { items } = await getJson<ResourcePage>(`${xdscope.url}${path}`);
  const statusOf = (row: {
    readonly typeUrl: string;
    readonly name: string;
    readonly clientStatus: string;
  }) => [row.typeUrl, row.name, row.clientStatus].join(' ');
  const held = [...client.rows().values()];
  return (
    held.every(({ clientStatus }) => /^N?ACKED$/.test(clientStatus)) &&
    held.map(statusOf).sort().join() === items.map(statusOf).sort().join()
  );
}

const acceptsEndpoints = (events: readonly HistoryEvent[]): boolean =>
  events.some(({ kind, typeUrl }) => kind === 'ack-sent' && typeUrl === EDS.typeUrl);
const isOfAds = ({ typeUrl }: HistoryEvent): boolean => typeUrl !== undefined;

describe('kill -9 of xdscope under a tapped client', () => {
  it('breaks its stream, and it is served again at the same address; the log holds all that it held, once', async () => {
    // 1. A real client takes everything through the tap, and rejects one thing.
    await waitUntil('it has endpoints', async () => acceptsEndpoints(await history()), patienceMs);
    mesh.change({ activeFaults: new Set(['zero-weights']) });
    const isRejection = ({ kind }: HistoryEvent): boolean => kind === 'nack-sent';
    await waitUntil('it rejects the routes', async () => (await history()).some(isRejection), patienceMs);
    await waitUntil('all that it answered is recorded', isRecorded, patienceMs);
    reporter.send({ node: { id: reporterName }, clusterStats: [{ clusterName: 'cart' }] });
    const isLoad = ({ kind }: HistoryEvent): boolean => kind === 'load-reported';
    await waitUntil('its load is recorded', async () => (await history()).some(isLoad));
    const before = await history();
    const connected = () => server.connectedNodes().filter((each) => each === name).length;
    expect(connected()).toBe(1);

    // 2. xdscope is killed; the client's stream breaks with it.
    await xdscope.stop('SIGKILL');
    await waitUntil('its stream is broken', () => connected() === 0);

    // 3. It comes back on the same port; the client connects by itself, and is served what is new.
    xdscope = await startAgain();
    await waitUntil('the client is back', () => connected() === 1, patienceMs);
    mesh.change({ activeFaults: new Set(), reverted: new Map([['zero-weights', 1]]) });
    await waitUntil(
      'it was reverted',
      () =>
        client.rows().size > 0 &&
        [...client.rows().values()].every(({ clientStatus }) => clientStatus === 'ACKED'),
      patienceMs,
    );

    // 4. All that was reported before is there as it was; what came then is behind it, on a new stream.
    const after = await waitUntil(
      'the new stream is recorded',
      async () => {
        const events = await history();
        return acceptsEndpoints(events.slice(before.length)) && events;
      },
      patienceMs,
    );
    const stable = ({ pairSeq: _, repeats: __, ...event }: HistoryEvent) => event;
    expect(after.slice(0, before.length).map(stable)).toEqual(before.map(stable));
    const streams = (events: readonly HistoryEvent[]) =>
      new Set(events.filter(isOfAds).map(({ streamId }) => streamId));
    const old = streams(before);
    const fresh = streams(after.slice(before.length));
    expect([...fresh].filter((id) => old.has(id))).toEqual([]);
    const endsOf = (events: readonly HistoryEvent[]) =>
      events.filter(({ kind, streamId }) => kind === 'stream-closed' && old.has(streamId));
    expect(endsOf(before)).toEqual([]);
    const reported = `stream ended: UNKNOWN (${lostStreamDetails})`;
    const newest = after[after.findIndex(({ text }) => text === reported) - 1];
    expect(endsOf(after).map(({ at, text }) => [at, text])).toEqual(
      [...old].map(() => [newest?.at, reported]),
    );

    // Who reports load has no type, and an end all the same.
    const ofLoad = after.filter(({ nodeId, streamId }) => nodeId === reporterName && streamId !== undefined);
    expect(ofLoad.map(({ kind, text }) => (kind === 'stream-closed' ? text : kind))).toEqual([
      ...['stream-opened', 'load-reported'],
      reported,
    ]);

    expect(xdscope.output()).not.toMatch(/Rejection|uncaught|ReferenceError/);

    // 5. Nothing is there twice: not a message of a stream, and not the client.
    const messages = after.filter(({ kind }) => /^(response-received|ack-sent|nack-sent)$/.test(kind));
    const keys = messages.map(({ kind, streamId, typeUrl, nonce }) =>
      [kind, streamId, typeUrl, nonce].join(' '),
    );
    expect(keys.length).toBe(new Set(keys).size);
    const { items } = await getJson<{ items: ClientSummary[] }>(`${xdscope.url}/api/v1/clients`);
    expect(items.filter(({ nodeId }) => nodeId === name)).toHaveLength(1);
  });
});
