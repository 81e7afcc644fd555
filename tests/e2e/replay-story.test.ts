import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryPage } from '@/lib/api/history';
import type { NewReplay, Replay } from '@/lib/api/replays';
import type { ResourcePage } from '@/lib/api/resource-pages';
import type { ClientSummary } from '@/lib/api/schema';
import { getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { freePort } from '../support/grpc-peers';
import { plainRows, type RealClient, startRealClient } from '../support/real-client';
import {
  findShopClient,
  patienceMs,
  type Rejectionstory,
  startRejectionstory,
} from '../support/rejection-story';
import { waitUntil } from '../support/wait-until';

const shopWeb = findShopClient('shop-web');

let story: Rejectionstory;
let xdscope: RunningServer;
let first: RealClient;
let clientId = '';
let dataDir = '';
const api = (name: string): string => `${xdscope.url}/api/v1/${name}`;

/** A real client that rejects its routes, observed by a tap alone. */
beforeAll(async () => {
  story = await startRejectionstory([shopWeb.name]);
  const [recorded] = story.clients;
  if (recorded === undefined) throw new Error('nothing was recorded');
  ({ xdscope, dataDir } = story);
  first = recorded.client;
  clientId = recorded.id;
}, 240_000);
afterAll(() => story?.end());

async function ask<T>(method: string, name: string, body: unknown): Promise<T> {
  const response = await sendJson(method, api(name), body);
  if (!response.ok) throw new Error(`${method} ${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Connects another real client, and waits until its CSDS answer is that of the first one. */
async function endsTheSame(asked: NewReplay, speed: number | null = null): Promise<Replay> {
  const { id, address } = await ask<Replay>('POST', 'replays', asked);
  const second = await startRealClient(shopWeb, address);
  try {
    await ask('PATCH', `replays/${id}`, { playing: true, speed });
    const rows = () => JSON.stringify(plainRows(second.rows()));
    await waitUntil(
      'the same CSDS answer',
      () => second.rows().size > 0 && rows() === JSON.stringify(plainRows(first.rows())),
      patienceMs,
    ).catch(() => expect(plainRows(second.rows())).toEqual(plainRows(first.rows())));
    const { items } = await getJson<{ items: Replay[] }>(api('replays'));
    const replay = items.find((each) => each.id === id);
    if (replay === undefined) throw new Error('the replay is gone');
    return replay;
  } finally {
    await second.close();
    await sendJson('DELETE', api(`replays/${id}`), {});
  }
}

function rejects(replay: Replay): void {
  const rejections = replay.steps.filter(({ recorded }) => recorded?.isAccepted === false);
  expect(rejections).toHaveLength(1);
  expect(rejections[0]?.replayed).toMatchObject({
    isAccepted: false,
    errorDetail: rejections[0]?.recorded?.errorDetail,
  });
}

describe('a replay to a real client', { timeout: 240_000 }, () => {
  it('its streams: ends with the same CSDS answer, and rejects what was rejected', async () => {
    rejects(await endsTheSame({ mode: 'stream', clientId }));
  });

  it('one of its streams, at recorded speed and faster: the same, and not sooner', async () => {
    const { items } = await getJson<HistoryPage>(api(`history?client=${clientId}&kind=response-received`));
    const [newest] = items;
    const streamId = newest?.streamId ?? '';
    const ofStream = items.filter((each) => each.streamId === streamId);
    const spanMs = Date.parse(newest?.at ?? '') - Date.parse(ofStream.at(-1)?.at ?? '');
    for (const speed of [1, 4]) {
      const startedAt = performance.now();
      const replay = await endsTheSame({ mode: 'stream', clientId, streamId }, speed);
      // Replaying is never faster than recorded. A timer may be a millisecond early.
      expect(performance.now() - startedAt).toBeGreaterThan(spanMs / speed - ofStream.length);
      expect(replay.stepCount).toBe(ofStream.length);
      rejects(replay);
    }
  });

  it('what it holds: the same', async () => {
    rejects(await endsTheSame({ mode: 'snapshot', clientId }));
  });

  it('what it held at a moment: the same', async () => {
    rejects(await endsTheSame({ mode: 'snapshot', clientId, at: new Date().toISOString() }));
  });

  it('a permalink: the same', async () => {
    const view = { tab: 'resources', query: {} };
    const { id } = await ask<{ id: string }>('POST', 'permalinks', { clientId, view });
    rejects(await endsTheSame({ mode: 'snapshot', permalinkId: id }));
  });

  it('a permalink, before a client of delta: takes and rejects the same', async () => {
    // No gRPC client supports delta, so the probe of another xdscope is the client.
    const view = { tab: 'resources', query: {} };
    const { id: permalinkId } = await ask<{ id: string }>('POST', 'permalinks', { clientId, view });
    const replay = await ask<Replay>('POST', 'replays', { mode: 'snapshot', permalinkId });
    await ask('PATCH', `replays/${replay.id}`, { playing: true, speed: null });
    const target = `xds:///${shopWeb.calls[0]?.listener}`;
    const other = await startServer([
      ...['--no-lab', '--ads', replay.address, '--ads-transport', 'delta-ads', '--target', target],
      ...['--ads-mode', 'validate', '--ads-profile', 'node'],
      ...['--data-dir', path.join(dataDir, 'delta')],
    ]);
    try {
      const rowsOf = async ({ url }: RunningServer) => {
        const { items } = await getJson<{ items: ClientSummary[] }>(`${url}/api/v1/clients`);
        const path = `/api/v1/clients/${items[0]?.id ?? ''}/resources?limit=1000`;
        const rows = items.length === 0 ? [] : (await getJson<ResourcePage>(`${url}${path}`)).items;
        return rows.map(({ typeUrl, name, clientStatus, hash, errorState }) => {
          return [typeUrl, name, clientStatus, hash, errorState?.failedHash ?? null].join(' ');
        });
      };
      // The tap reports what is in use and what was rejected.
      const wanted = await rowsOf(xdscope);
      expect(wanted.length).toBeGreaterThan(10);
      await waitUntil(
        'the same resources, in the same status',
        async () => JSON.stringify(await rowsOf(other)) === JSON.stringify(wanted),
        patienceMs,
      ).catch(async () => expect(await rowsOf(other)).toEqual(wanted));
      const { items } = await getJson<{ items: Replay[] }>(api('replays'));
      const shown = items.find((each) => each.id === replay.id);
      expect(shown).toMatchObject({ same: 2, differs: 0, step: 1 });
    } finally {
      await other.stop();
      await sendJson('DELETE', api(`replays/${replay.id}`), {});
    }
  });

  it('what it held at a moment, out of a file named on the command line: the same', async () => {
    const file = path.join(dataDir, 'story.xdscope');
    const exported = await fetch(api(`export?client=${clientId}`));
    writeFileSync(file, Buffer.from(await exported.arrayBuffer()));
    const address = `127.0.0.1:${await freePort()}`;
    const which = ['--replay-client', shopWeb.name, '--replay-at', new Date().toISOString()];
    const ofFile = path.join(dataDir, 'of-the-file');
    const other = await startServer(['--replay', `${file}@${address}`, ...which, '--data-dir', ofFile]);
    try {
      const { items } = await getJson<{ items: Replay[] }>(`${other.url}/api/v1/replays`);
      expect(items).toMatchObject([{ mode: 'snapshot', nodeId: shopWeb.name, address, playing: true }]);
      const second = await startRealClient(shopWeb, address);
      try {
        const rows = () => JSON.stringify(plainRows(second.rows()));
        await waitUntil(
          'the same CSDS answer',
          () => second.rows().size > 0 && rows() === JSON.stringify(plainRows(first.rows())),
          patienceMs,
        ).catch(() => expect(plainRows(second.rows())).toEqual(plainRows(first.rows())));
      } finally {
        await second.close();
      }
    } finally {
      await other.stop();
    }
  });
});
