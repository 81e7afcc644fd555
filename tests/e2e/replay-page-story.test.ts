import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Replay } from '@/lib/api/replays';
import { findPython } from '@/server/lab/python-client/find-python';
import { openContext } from '../support/e2e-browser';
import { getJson } from '../support/e2e-server';
import { plainRows, type RealClient, startRealClient } from '../support/real-client';
import {
  patienceMs,
  type RecordedClient,
  type Rejectionstory,
  startRejectionstory,
} from '../support/rejection-story';
import { waitUntil } from '../support/wait-until';

let story: Rejectionstory;
let context: BrowserContext;
let page: Page;
const pageErrors: string[] = [];
const python = await findPython();
const command = python.kind === 'found' ? python.command : '';

beforeAll(async () => {
  const names = ['shop-web', ...(command === '' ? [] : ['shop-warehouse'])];
  const viewport = { width: 1440, height: 1000 };
  [story, context] = await Promise.all([startRejectionstory(names, command), openContext({ viewport })]);
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => pageErrors.push(String(error)));
}, 300_000);
afterAll(async () => {
  await context?.close();
  await story?.end();
});

const recordedOf = (name: string): RecordedClient => {
  const found = story.clients.find(({ shop }) => shop.name === name);
  if (found === undefined) throw new Error(`${name} was not recorded`);
  return found;
};

async function replays(): Promise<Replay[]> {
  return (await getJson<{ items: Replay[] }>(`${story.xdscope.url}/api/v1/replays`)).items;
}

async function startReplay(name: string): Promise<{ readonly item: Locator; readonly replay: Replay }> {
  await page.goto(`${story.xdscope.url}/sources`);
  const known = new Set((await replays()).map(({ id }) => id));
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const chooser = dialog.getByRole('combobox', { name: 'Client' });
  await expect.poll(() => chooser.inputValue(), { timeout: 20_000 }).toMatch(/^shop-/);
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

const sameRows = (client: RealClient, recorded: RecordedClient) =>
  waitUntil(
    'the same CSDS answer',
    () => JSON.stringify(plainRows(client.rows())) === JSON.stringify(plainRows(recorded.client.rows())),
    patienceMs,
  ).catch(() => expect(plainRows(client.rows())).toEqual(plainRows(recorded.client.rows())));

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
  await comesLater(item, recorded, address);
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
 * From the first step on, faster than it was, for a client that comes then, and again for the same one, which holds
 * everything by then: the answers are reported anew, and are the same.
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

describe('a replay, from the browser', { timeout: 300_000 }, () => {
  it('is answered by a real client step by step as recorded: grpc-js-xds', () => walk('shop-web'));

  it.skipIf(command === '')('goes step by step before a real client, which answers as it did: C-core', () =>
    walk('shop-warehouse'),
  );

  it('threw no error', () => expect(pageErrors).toEqual([]));
});
