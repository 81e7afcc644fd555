import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { NewReplay, Replay } from '@/lib/views/recording/replay-schema';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { findPython } from '@/server/lab/python-client/find-python';
import { openContext } from '../../support/e2e-browser';
import { getJson, type RunningServer, sendJson, startServer } from '../../support/e2e-server';
import { freePort } from '../../support/free-port';
import { plainRows, type RealClient, startRealClient } from '../../support/real-client';
import {
  patienceMs,
  type RecordedClient,
  type Rejectionstory,
  startRejectionstory,
} from '../../support/rejection-story';
import { waitUntil } from '../../support/wait-until';

let story: Rejectionstory;
let xdscope: RunningServer;
let context: BrowserContext;
let page: Page;
const pageErrors: string[] = [];
const python = await findPython();
const command = python.kind === 'found' ? python.command : '';
const api = (name: string): string => `${xdscope.url}/api/v1/${name}`;

/** Real clients that reject their routes or a cluster, observed by a tap alone. */
beforeAll(async () => {
  const names = ['shop-web', ...(command === '' ? [] : ['shop-warehouse'])];
  const viewport = { width: 1440, height: 1000 };
  [story, context] = await Promise.all([startRejectionstory(names, command), openContext({ viewport })]);
  ({ xdscope } = story);
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => pageErrors.push(String(error)));
});
afterAll(async () => {
  await context?.close();
  await story?.end();
});

const recordedOf = (name: string): RecordedClient => {
  const found = story.clients.find(({ shop }) => shop.name === name);
  if (found === undefined) throw new Error(`${name} was not recorded`);
  return found;
};

const replays = async (): Promise<Replay[]> => (await getJson<{ items: Replay[] }>(api('replays'))).items;

const sameRows = (client: RealClient, recorded: RecordedClient) =>
  waitUntil(
    'the same CSDS answer',
    () => JSON.stringify(plainRows(client.rows())) === JSON.stringify(plainRows(recorded.client.rows())),
    patienceMs,
  ).catch(() => expect(plainRows(client.rows())).toEqual(plainRows(recorded.client.rows())));

async function ask<T>(method: string, name: string, body: unknown): Promise<T> {
  const response = await sendJson(method, api(name), body);
  if (!response.ok) throw new Error(`${method} ${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Connects another real client, and waits until its CSDS answer is that of the first one. */
async function endsTheSame(asked: NewReplay, speed: number | null = null): Promise<Replay> {
  const { id, address } = await ask<Replay>('POST', 'replays', asked);
  const recorded = recordedOf('shop-web');
  const second = await startRealClient(recorded.shop, address);
  try {
    await ask('PATCH', `replays/${id}`, { playing: true, speed });
    await sameRows(second, recorded);
    // CSDS can report a rejection before the replay receives it.
    return await waitUntil('each rejection is received', async () => {
      const replay = (await replays()).find((each) => each.id === id);
      const isReceived = ({ recorded, replayed }: Replay['steps'][number]) =>
        recorded?.isAccepted !== false || replayed !== undefined;
      return replay?.steps.every(isReceived) && replay;
    });
  } finally {
    await second.close();
    await sendJson('DELETE', api(`replays/${id}`), {});
  }
}

function hasRejection(replay: Replay): void {
  const rejections = replay.steps.filter(({ recorded }) => recorded?.isAccepted === false);
  expect(rejections).toHaveLength(1);
  expect(rejections[0]?.replayed).toMatchObject({
    isAccepted: false,
    errorDetail: rejections[0]?.recorded?.errorDetail,
  });
}

describe('a replay to a real client', () => {
  // The pace of a replay is tested in tests/server/lab/replay/replay-pace.test.ts.
  it('one of its streams, faster than recorded: the same', async () => {
    const { id: clientId } = recordedOf('shop-web');
    const { items } = await getJson<HistoryPage>(api(`history?client=${clientId}&kind=response-received`));
    const [newest] = items;
    const streamId = newest?.streamId ?? '';
    const ofStream = items.filter((each) => each.streamId === streamId);
    const replay = await endsTheSame({ mode: 'stream', clientId, streamId }, 4);
    expect(replay.stepCount).toBe(ofStream.length);
    hasRejection(replay);
  });

  it('what it holds: the same, and a moment and a permalink have the same steps', async () => {
    const { id: clientId } = recordedOf('shop-web');
    const replay = await endsTheSame({ mode: 'snapshot', clientId });
    hasRejection(replay);
    const stepsOf = ({ steps }: Replay) => steps.map(({ types, recorded }) => ({ types, recorded }));
    const permalink = await ask<{ id: string }>('POST', 'permalinks', { clientId });
    for (const state of [{ clientId, at: Date.now() }, { permalinkId: permalink.id }]) {
      const same = await ask<Replay>('POST', 'replays', { mode: 'snapshot', ...state });
      expect(stepsOf(same)).toEqual(stepsOf(replay));
      await sendJson('DELETE', api(`replays/${same.id}`), {});
    }
  });

  it('a permalink, before a client of delta: takes and rejects the same', async () => {
    // No gRPC client supports delta, so the probe of another xdscope is the client.
    const view = { tab: 'resources', query: {} };
    const { id: clientId, shop } = recordedOf('shop-web');
    const { id: permalinkId } = await ask<{ id: string }>('POST', 'permalinks', { clientId, view });
    const replay = await ask<Replay>('POST', 'replays', { mode: 'snapshot', permalinkId });
    await ask('PATCH', `replays/${replay.id}`, { playing: true, speed: null });
    const target = `xds:///${shop.calls[0]?.listener}`;
    const other = await startServer([
      ...['--no-lab', '--ads', replay.address, '--ads-transport', 'delta-ads', '--target', target],
      ...['--ads-mode', 'validate', '--ads-profile', 'node'],
      ...['--data-dir', path.join(story.dataDir, 'delta')],
    ]);
    try {
      const rowsOf = async ({ url }: RunningServer, id?: string) => {
        const { items } = await getJson<{ items: ClientSummary[] }>(`${url}/api/v1/clients`);
        const path = `/api/v1/clients/${id ?? items[0]?.id}/resources?limit=1000`;
        const rows = items.length === 0 ? [] : (await getJson<ResourcePage>(`${url}${path}`)).items;
        return rows.map(({ typeUrl, name, clientStatus, hash, errorState }) => {
          return [typeUrl, name, clientStatus, hash, errorState?.failedHash ?? null].join(' ');
        });
      };
      // The tap reports what is in use and what was rejected.
      const wanted = await rowsOf(xdscope, clientId);
      expect(wanted.length).toBeGreaterThan(10);
      await waitUntil(
        'the same resources, in the same status',
        async () => JSON.stringify(await rowsOf(other)) === JSON.stringify(wanted),
        patienceMs,
      ).catch(async () => expect(await rowsOf(other)).toEqual(wanted));
      const answered = await waitUntil('both answers are received', async () => {
        const shown = (await replays()).find((each) => each.id === replay.id);
        return shown !== undefined && shown.same + shown.differs >= 2 && shown;
      });
      expect(answered).toMatchObject({ same: 2, differs: 0, step: 1 });
    } finally {
      await other.stop();
      await sendJson('DELETE', api(`replays/${replay.id}`), {});
    }
  });

  it('what it held at a moment, out of a file named on the command line: the same', async () => {
    const recorded = recordedOf('shop-web');
    const { id: clientId, shop } = recorded;
    const file = path.join(story.dataDir, 'story.xdscope');
    const exported = await fetch(api(`export?client=${clientId}`));
    writeFileSync(file, Buffer.from(await exported.arrayBuffer()));
    const address = `127.0.0.1:${await freePort()}`;
    const which = ['--replay-client', shop.name, '--replay-at', new Date().toISOString()];
    const ofFile = path.join(story.dataDir, 'of-the-file');
    const other = await startServer(['--replay', `${file}@${address}`, ...which, '--data-dir', ofFile]);
    try {
      const { items } = await getJson<{ items: Replay[] }>(`${other.url}/api/v1/replays`);
      expect(items).toMatchObject([{ mode: 'snapshot', nodeId: shop.name, address, playing: true }]);
      const second = await startRealClient(shop, address);
      try {
        await sameRows(second, recorded);
      } finally {
        await second.close();
      }
    } finally {
      await other.stop();
    }
  });
});

async function startReplay(name: string): Promise<{ readonly item: Locator; readonly replay: Replay }> {
  await page.goto(`${xdscope.url}/sources/recorder`);
  const known = new Set((await replays()).map(({ id }) => id));
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const chooser = dialog.getByRole('combobox', { name: 'Client' });
  await expect.poll(() => chooser.inputValue()).toMatch(/^shop-/);
  if ((await chooser.inputValue()) !== name) {
    await chooser.fill(name);
    await page.getByRole('option', { name }).first().click();
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
  }
  // Selecting the selected option again closes the list.
  for (const _time of [1, 2]) {
    await dialog.getByRole('button', { name: 'Show the choices of Client' }).click();
    await page.getByRole('option', { name }).first().click();
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await chooser.inputValue()).toBe(name);
  }
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const replay = await waitUntil('it serves', async () => (await replays()).find(({ id }) => !known.has(id)));
  return { replay, item: page.getByRole('listitem').filter({ hasText: replay.address }) };
}

/** Clicks through the steps; the next one follows when the page shows that the client answered as recorded. */
async function stepThrough(item: Locator, count: number): Promise<void> {
  for (let step = 1; step <= count; step++) {
    await item.getByRole('button', { name: 'Next' }).click();
    await item.getByText(`Step ${step} of ${count}`).waitFor();
    const row = item
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: `Serve step ${step}`, exact: true }) });
    await row.getByText(/✓ same: /).waitFor({ timeout: patienceMs });
  }
  await item.getByText(`${count} responses as recorded, 0 different.`).waitFor();
}

async function walk(name: string): Promise<void> {
  const recorded = recordedOf(name);
  const { item, replay } = await startReplay(name);
  const { stepCount, address } = replay;
  await item.getByText(`${stepCount} steps, none served yet`).waitFor();
  await item.getByText('No client is connected.').waitFor();
  const client = await startRealClient(recorded.shop, address, command);
  try {
    await item.getByText(`Connected: ${name}`).waitFor({ timeout: patienceMs });
    // Nothing is sent before the first step.
    expect([...client.rows().values()].filter(({ hash }) => hash !== null)).toEqual([]);
    await stepThrough(item, stepCount);
    await sameRows(client, recorded);
    await item.getByText(`Step ${stepCount} of ${stepCount}, the end`).waitFor();
    expect(await item.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  } finally {
    await client.close();
  }
  await item.getByText('No client is connected.').waitFor();
  if (name === 'shop-web') await comesLater(item, recorded, address);
  await playsAgain(item, recorded, replay);
}

const rejects = (client: RealClient) =>
  waitUntil(
    'it rejects what it is reported',
    () => [...client.rows().values()].some(({ clientStatus }) => clientStatus === 'NACKED'),
    patienceMs,
  );

/** A client that connects at the end, or again, receives what is served then, which it rejects; and so is a second one beside it. */
async function comesLater(item: Locator, recorded: RecordedClient, address: string): Promise<void> {
  const { name } = recorded.shop;
  const later = await startRealClient(recorded.shop, address, command);
  try {
    await rejects(later);
    await item.getByText(`Connected: ${name}.`).waitFor();
    const beside = await startRealClient(recorded.shop, address, command);
    try {
      await rejects(beside);
      await item.getByText(`Connected: ${name} (2 streams).`).waitFor();
    } finally {
      await beside.close();
    }
    await item.getByText(`Connected: ${name}.`).waitFor();
  } finally {
    await later.close();
  }
  await item.getByText('No client is connected.').waitFor();
}

/**
 * Plays from the first step on, faster than before, for a client that connects then, and again for the same one,
 * which holds everything by then: the answers are reported anew, and are the same.
 */
async function playsAgain(
  item: Locator,
  recorded: RecordedClient,
  { id, address, stepCount }: Replay,
): Promise<void> {
  await item.getByLabel('Pace').selectOption({ label: '100 times as fast' });
  await item.getByRole('button', { name: 'Play again' }).click();
  await item.getByText(`Step 1 of ${stepCount}, starts with the first client`).waitFor();
  await item.getByText('0 responses as recorded, 0 different.').waitFor();
  const client = await startRealClient(recorded.shop, address, command);
  const reachesEnd = async (): Promise<void> => {
    await item.getByText(`Step ${stepCount} of ${stepCount}, the end`).waitFor({ timeout: patienceMs });
    await item.getByText(`${stepCount} responses as recorded, 0 different.`).waitFor({ timeout: patienceMs });
    await sameRows(client, recorded);
  };
  const wentBack = item.getByText('The replay was moved back while a client was connected');
  try {
    await reachesEnd();
    expect(await wentBack.count()).toBe(0);
    await item.getByRole('button', { name: 'Play again' }).click();
    await wentBack.waitFor();
    await reachesEnd();
    await item.getByRole('button', { name: 'Previous' }).click();
    await item.getByText(`Step ${stepCount - 1} of ${stepCount}`).waitFor();
    await item.getByText(`${stepCount - 1} responses as recorded, 0 different.`).waitFor();
  } finally {
    await client.close();
  }
  await wentBack.waitFor({ state: 'hidden' });
  await item.getByRole('button', { name: /^End the replay/ }).click();
  await item.waitFor({ state: 'hidden' });
  expect((await replays()).map((each) => each.id)).not.toContain(id);
}

describe('a replay, from the browser', () => {
  it('is answered by a real client step by step as recorded: grpc-js-xds', () => walk('shop-web'));

  it.skipIf(command === '')('goes step by step before a real client, which answers as it did: C-core', () =>
    walk('shop-warehouse'),
  );

  it('threw no error', () => expect(pageErrors).toEqual([]));
});
