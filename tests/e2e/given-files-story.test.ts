import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileImport } from '@/lib/api/imports';
import { getJson } from '../support/e2e-server';
import { type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

let story: Story;
const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-given-'));

beforeAll(async () => {
  story = await startStory(['--no-lab']);
}, 120_000);
afterAll(async () => {
  await story.end();
  rmSync(folder, { recursive: true, force: true });
  expect(story.pageErrors).toEqual([]);
});

function clusterFile(name: string): string {
  return JSON.stringify({ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name });
}

function give(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** Drops files and folders by path in the middle of the page. */
async function drop(page: Page, ...files: string[]): Promise<void> {
  await page.getByText('live', { exact: true }).first().waitFor();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  }
  await session.detach();
}

const importsOf = async (): Promise<FileImport[]> =>
  (await getJson<{ items: FileImport[] }>(`${story.server.url}/api/v1/imports`)).items;
const importOf = async (label: string) => (await importsOf()).find((each) => each.label === label);

async function openClients(): Promise<Page> {
  const page = await story.newPage();
  await page.goto(`${story.server.url}/clients`);
  return page;
}

describe('files that are dropped at once', { timeout: 120_000 }, () => {
  it('are sent one after the other; those that wait are listed, and can be left out', async () => {
    const page = await openClients();
    const held: (() => void)[] = [];
    await page.route('**/api/v1/imports?name=*', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const names = ['first.json', 'second.json', 'third.json'];
    await drop(page, ...names.map((name) => give(name, clusterFile(name))));
    const waiting = page.getByRole('list', { name: 'Waiting files' });
    await waiting.getByText('second.json').first().waitFor();
    expect(await waiting.getByRole('listitem').count()).toBe(2);
    expect(held).toHaveLength(1);
    held.shift()?.();
    await waitUntil('the second is sent', () => held.length === 1);
    await waitUntil('the first is read', async () => (await importOf('first.json'))?.state === 'done');
    await page.getByRole('button', { name: 'Remove the waiting files' }).click();
    await waiting.waitFor({ state: 'hidden' });
    held.shift()?.();
    await waitUntil('the second is read', async () => (await importOf('second.json'))?.state === 'done');
    const tray = page.getByRole('region', { name: 'Imports' });
    await tray.getByText('second.json').first().waitFor();
    expect(held).toHaveLength(0);
    expect(await importOf('third.json')).toBeUndefined();
    await page.close();
  });

  it('may be a folder: its files are named by their paths, and hidden ones are left out', async () => {
    give('mesh/a.json', clusterFile('a'));
    give('mesh/deep/er/<script>b<_script>.json', clusterFile('b'));
    give('mesh/.hidden.json', clusterFile('hidden'));
    give('mesh/empty.json', '');
    mkdirSync(path.join(folder, 'nothing'));
    const page = await openClients();
    await drop(page, path.join(folder, 'mesh'), path.join(folder, 'nothing'));
    const tray = page.getByRole('region', { name: 'Imports' });
    await tray.getByText('the folder has no files').waitFor();
    await tray.getByText('Not imported: expected a file, got an empty one').waitFor();
    const labels = ['mesh_a.json', 'mesh_deep_er_<script>b<_script>.json'];
    await waitUntil('both are read', async () => {
      const done = (await importsOf()).filter(({ state }) => state === 'done').map(({ label }) => label);
      return labels.every((label) => done.includes(label));
    });
    await tray.getByText('mesh_deep_er_<script>b<_script>.json').first().waitFor();
    expect((await importsOf()).map(({ label }) => label)).not.toContain('mesh_.hidden.json');
    await page.close();
  });

  it('are rejected before they are sent when they exceed the size limit', async () => {
    const page = await openClients();
    await drop(page, give('huge.json', Buffer.alloc(201 * 1024 * 1024, 0x20)));
    await page
      .getByRole('alert')
      .filter({ hasText: /huge\.json.*expected at most 210 MB, got 211 MB/s })
      .waitFor();
    expect(await importOf('huge.json')).toBeUndefined();
    await page.close();
  });

  it('make a list longer than the screen, which scrolls within the page', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/sources`);
    await page.getByRole('list', { name: 'Imported files' }).waitFor();
    const heights = await page.evaluate(() => {
      const main = document.querySelector('main');
      return {
        page: document.documentElement.scrollHeight - window.innerHeight,
        main: (main?.scrollHeight ?? 0) - (main?.clientHeight ?? 0),
      };
    });
    expect(heights.main).toBeGreaterThan(100);
    expect(heights.page).toBe(0);
    await page.close();
  });

  it('may be a recording, whose clients are shown', async () => {
    const clientId = (await importOf('first.json'))?.clientIds[0] ?? '';
    const answer = await fetch(`${story.server.url}/api/v1/export?client=${encodeURIComponent(clientId)}`);
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const page = await openClients();
    await drop(page, give('yesterday.xdscope', bytes));
    const tray = page.getByRole('region', { name: 'Imports' });
    const given = tray.getByRole('listitem').filter({ hasText: 'yesterday.xdscope' });
    await given.getByRole('link', { name: 'Open its graph' }).click();
    await page.getByRole('group', { name: /configuration graph/i }).waitFor();
    await page
      .getByRole('button', { name: /cluster.*first\.json/i })
      .first()
      .waitFor();
    expect(await importOf('yesterday.xdscope')).toMatchObject({ state: 'done', clients: 1, problems: 0 });
    await page.close();
  });
});
