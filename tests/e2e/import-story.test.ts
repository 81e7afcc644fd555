import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Graph } from '@/lib/views/graph/schema';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { ImportNames } from '@/server/files/import/import-names';
import { makeConfigDump } from '../support/builders/big-dump';
import { dropFiles, isListening } from '../support/drop-files';
import { getJson } from '../support/e2e-server';
import { type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

let story: Story;
const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-given-'));
const dump = [...makeConfigDump({ clusters: 40, routes: 20, routesPerConfig: 10, endpoints: 80 })].join('');

beforeAll(async () => {
  story = await startStory(['--no-lab']);
});
afterAll(async () => {
  await story.end();
  rmSync(folder, { recursive: true, force: true });
  expect(story.pageErrors).toEqual([]);
});

/** Dispatches the drag events of a file. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  await isListening(page);
  const transfer = await page.evaluateHandle(
    ([fileName, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text ?? ''], fileName ?? ''));
      return data;
    },
    [name, content],
  );
  for (const type of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent('main', type, { dataTransfer: transfer });
  }
}

function clusterFile(name: string): string {
  return JSON.stringify({ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name });
}

function give(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const importsOf = async (): Promise<FileImport[]> =>
  (await getJson<{ items: FileImport[] }>(`${story.server.url}/api/v1/imports`)).items;
const importOf = async (label: string) => (await importsOf()).find((each) => each.label === label);

async function openClients(): Promise<Page> {
  const page = await story.newPage();
  await page.goto(`${story.server.url}/clients`);
  return page;
}

it('the overview without sources offers a dump, a source and the lab', async () => {
  const page = await story.newPage();
  await page.goto(story.server.url);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('button', { name: 'Choose files' }).waitFor();
  await steps.getByRole('button', { name: 'Start the lab' }).waitFor();
  await isListening(page);
  await steps.getByRole('button', { name: 'Add a source' }).click();
  await page.getByRole('dialog', { name: 'Add a source' }).waitFor();
  await page.close();
});

describe('a file that is given to a page', () => {
  it('shows its graph, when a dump is dropped anywhere', async () => {
    const page = await openClients();
    await drop(page, 'gateway.json', dump);
    const tray = page.getByRole('region', { name: 'Imports' });
    await tray.getByRole('link', { name: 'Open its graph' }).click();
    await page.getByRole('group', { name: /configuration graph/i }).waitFor();
    await page
      .getByRole('button', { name: /listener.*0\.0\.0\.0_8000/i })
      .first()
      .waitFor();
    const sources = page.getByRole('button', { name: /^Snapshot, \d+ \w+ \d{4}/ });
    await sources.waitFor();
    // The graph is shown before the whole file is read.
    await waitUntil('all of it is read', async () =>
      (await importsOf()).every(({ state }) => state === 'done'),
    );
    expect(await importsOf()).toMatchObject([
      {
        label: 'gateway.json',
        state: 'done',
        what: 'Envoy config dump, bootstrap, JSON',
        resources: 85,
        problems: 0,
      },
    ]);
    // A link with a search opens at its match, and each other search moves the graph to its own.
    await page.goto(`${page.url().split('?')[0]}?find=service-39`);
    const graph = page.getByRole('group', { name: /configuration graph/i });
    const isVisible = async (name: RegExp): Promise<boolean> => {
      const [frame, box] = [
        await graph.boundingBox(),
        await graph.getByRole('button', { name }).boundingBox(),
      ];
      return (
        frame !== null && box !== null && box.y >= frame.y && box.y + box.height <= frame.y + frame.height
      );
    };
    await waitUntil('the match is visible', () => isVisible(/^cluster .*service-39\b/));
    expect(await isVisible(/^cluster .*service-0\b/)).toBe(false);
    await page.getByRole('combobox', { name: 'Find in the graph' }).fill('service-0.');
    await waitUntil('the other match is visible', () => isVisible(/^cluster .*service-0\b/));
    // A graph is drawn in several tasks; a saved picture has all of it.
    const [client] = (await importsOf()).flatMap(({ clientIds }) => clientIds);
    const { nodes } = await getJson<Graph>(`${story.server.url}/api/v1/clients/${client}/graph`);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).click(),
    ]);
    expect((await readFile(await saved.path(), 'utf8')).match(/data-id=/g)).toHaveLength(nodes.length);
    expect(nodes.length).toBeGreaterThan(100);
    await page.close();
  });

  it('has resources, a resolved config, findings and a history', async () => {
    const client = (await importsOf())[0]?.clientIds[0];
    for (const [route, expected] of [
      [`clients/${client}/resources`, /"routes-0"/],
      [`clients/${client}/resolved`, /0\.0\.0\.0_8000/],
      [`clients/${client}/findings`, /"validated":\d\d/],
      [`history?client=${client}`, /gateway\.json/],
    ] as const) {
      expect(JSON.stringify(await getJson(`${story.server.url}/api/v1/${route}`)), route).toMatch(expected);
    }
  });

  it('shows the readable part of a broken file, and lists the problems with place and reason', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/sources`);
    const broken = dump.slice(0, dump.indexOf('"dynamic_endpoint_configs"') + 400);
    await drop(page, 'cut.json', broken);
    const tray = page.getByRole('region', { name: 'Imports' });
    await tray.getByRole('link', { name: /1 problem/ }).click();
    await page.getByRole('heading', { name: 'What could not be read' }).waitFor();
    await page
      .getByText(/the JSON is truncated: it ends in the middle/)
      .first()
      .waitFor();
    const cut = (await importsOf()).find(({ label }) => label === 'cut.json');
    expect(cut).toMatchObject({ state: 'done', clients: 1, problems: 1 });
    expect(cut?.resources).toBeGreaterThan(39);
    await page.close();
  });

  it('states why another file is not imported', async () => {
    const page = await openClients();
    await drop(page, 'notes.txt', 'milk, bread, and a pound of butter');
    await page.getByText(/Not imported: expected JSON, YAML, protobuf text or protobuf/).waitFor();
    await page.close();
  });

  it('may be pasted as text, but not into a field', async () => {
    const page = await openClients();
    const resource =
      '"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster\nname: pasted-cluster\nconnect_timeout: 1s\n';
    await isListening(page);
    await page.evaluate((text) => navigator.clipboard.writeText(text), resource);
    await page.keyboard.press('Control+V');
    const tray = page.getByRole('region', { name: 'Imports' });
    const pasted = tray.getByRole('listitem').filter({ hasText: 'pasted.yaml' });
    await pasted.getByRole('link', { name: 'Open its graph' }).waitFor();
    const before = (await importsOf()).length;
    const field = page.getByRole('combobox', { name: 'Filter clients' });
    await field.click();
    await page.keyboard.press('Control+V');
    await expect.poll(() => field.inputValue()).toContain('pasted-cluster');
    expect(await importsOf()).toHaveLength(before);
    await page.close();
  });

  it('shows the client of a file that is being uploaded as soon as it is read', async () => {
    const upload = request(`${story.server.url}/api/v1/imports?name=slow.json&again=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(dump) },
    });
    upload.write(dump.slice(0, 1_000));
    await waitUntil('the file is on its way', async () =>
      (await importsOf()).some(({ label, endedAt }) => label === 'slow.json' && endedAt === undefined),
    );
    const node = 'router~10.0.0.7~gateway-0.edge~edge.svc.cluster.local';
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients/${new ImportNames('slow.json').clientId(`${node}\u0000`)}`);
    await page.getByText('file is still being read').waitFor({ timeout: 120_000 });
    await page.getByText('slow.json, which is being read').waitFor();
    upload.end(dump.slice(1_000));
    await page.getByRole('group', { name: /configuration graph/i }).waitFor({ timeout: 120_000 });
    await page.close();
  });

  it('shows the received part of a large file, states that it is a part, and then the whole', async () => {
    const large = [
      ...makeConfigDump({ clusters: 600, routes: 20, routesPerConfig: 10, endpoints: 600 }),
    ].join('');
    // Several files at once are read one after the other.
    await waitUntil('the others are read', async () =>
      (await importsOf()).every(({ endedAt }) => endedAt !== undefined),
    );
    const upload = request(`${story.server.url}/api/v1/imports?name=large.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(large) },
    });
    const half = 2 * 1024 * 1024;
    upload.write(large.slice(0, half));
    const largeOne = async () => (await importsOf()).find(({ label }) => label === 'large.json');
    await waitUntil('its client is known', async () => (await largeOne())?.clients === 1);
    const early = await largeOne();
    expect(early).toMatchObject({ state: 'receiving' });
    expect(early?.endedAt).toBeUndefined();
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients/${early?.clientIds[0]}/graph`);
    await page.getByText('The data below is what has been read so far').waitFor();
    await page
      .getByRole('button', { name: /cluster.*service-0\.namespace-0/i })
      .first()
      .waitFor();
    upload.end(large.slice(half));
    await page
      .getByRole('button', { name: /listener.*0\.0\.0\.0_8000/i })
      .first()
      .waitFor();
    const sources = page.getByRole('button', { name: /^Snapshot, \d+ \w+ \d{4}/ });
    await sources.waitFor();
    await waitUntil('all of it is read', async () => (await largeOne())?.state === 'done');
    await page.getByText('The data below is what has been read so far').waitFor({ state: 'hidden' });
    expect(await largeOne()).toMatchObject({ resources: 1_205, problems: 0, clientIds: early?.clientIds });
    // A snapshot has one moment.
    const { items } = await getJson<HistoryPage>(
      `${story.server.url}/api/v1/history?client=${early?.clientIds[0]}`,
    );
    const moments = new Set(items.filter(({ clientId }) => clientId !== undefined).map(({ at }) => at));
    expect([...moments]).toHaveLength(1);
    await page.close();
  });
});

it('a long text is folded up to its end', async () => {
  const hosts = Array.from({ length: 5_000 }, (_, index) => ({
    name: `host-${index}`,
    domains: [`host-${index}.example.com`],
    routes: [{ match: { prefix: '/' }, route: { cluster: `cluster-${index}`, timeout: '15s' } }],
  }));
  const routes = { '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration', name: 'long' };
  await fetch(`${story.server.url}/api/v1/imports?name=long.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...routes, virtual_hosts: hosts }),
  });
  const clientId = (await importOf('long.json'))?.clientIds[0];
  const page = await story.newPage();
  await page.goto(`${story.server.url}/clients/${clientId}/resources?resource=RDS:long`);
  const text = page
    .getByRole('region', { name: 'Inspector' })
    .getByRole('textbox', { name: 'Payload of long' });
  await text.focus();
  await page.keyboard.press('Control+Alt+[');
  await waitUntil('few lines are left', async () => (await text.locator('.cm-line').count()) < 10);
  await page.close();
});

describe('files that are dropped at once', () => {
  it('are sent one after the other; those that wait are listed, and can be left out', async () => {
    const page = await openClients();
    const held: (() => void)[] = [];
    await page.route('**/api/v1/imports?name=*', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const names = ['first.json', 'second.json', 'third.json'];
    await dropFiles(page, ...names.map((name) => give(name, clusterFile(name))));
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

  it('are one import of one client if they are the answers of one Envoy', async () => {
    const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'cart' };
    const bootstrap = { '@type': 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump' };
    const address = { socket_address: { address: '10.0.0.1', port_value: 80 } };
    const dump = {
      configs: [
        { ...bootstrap, bootstrap: { node: { id: 'dropped-edge' } } },
        { static_clusters: [{ cluster }] },
      ],
    };
    const hosts = { cluster_statuses: [{ name: 'cart', host_statuses: [{ address, health_status: {} }] }] };
    const page = await openClients();
    await dropFiles(
      page,
      give('edge.config_dump.json', JSON.stringify(dump)),
      give('edge.clusters.json', JSON.stringify(hosts)),
    );
    const done = await waitUntil('both are read', async () => {
      const found = await importOf('edge');
      return found?.state === 'done' && found;
    });
    expect(done).toMatchObject({ clients: 1, problems: 0 });
    const { items } = await getJson<{ items: { service: string; name: string }[] }>(
      `${story.server.url}/api/v1/clients/${done.clientIds[0]}/resources`,
    );
    expect(items.map(({ service, name }) => `${service} ${name}`)).toEqual(
      expect.arrayContaining(['CDS cart', 'ClusterStatus cart']),
    );
    await page.close();
  });

  it('may be a folder: its files are named by their paths, and hidden ones are left out', async () => {
    give('mesh/a.json', clusterFile('a'));
    give('mesh/deep/er/<script>b<_script>.json', clusterFile('b'));
    give('mesh/.hidden.json', clusterFile('hidden'));
    give('mesh/empty.json', '');
    mkdirSync(path.join(folder, 'nothing'));
    const page = await openClients();
    await dropFiles(page, path.join(folder, 'mesh'), path.join(folder, 'nothing'));
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
    const huge = give('huge.json', '');
    truncateSync(huge, 201 * 1024 * 1024);
    await dropFiles(page, huge);
    await page
      .getByRole('alert')
      .filter({ hasText: /huge\.json.*expected at most 210 MB, got 211 MB/s })
      .waitFor();
    expect(await importOf('huge.json')).toBeUndefined();
    await page.close();
  });

  it('make a list longer than the screen, which scrolls within the page', async () => {
    const page = await story.newPage();
    await page.setViewportSize({ width: 1440, height: 300 });
    await page.goto(`${story.server.url}/sources/imports`);
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
    await dropFiles(page, give('yesterday.xdscope', bytes));
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

describe('a file that was imported before', () => {
  const content = clusterFile('imported-twice');
  const send = (name: string, query = '') =>
    fetch(`${story.server.url}/api/v1/imports?name=${name}${query}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: content },
    });

  it('is answered with 409 and the id of the earlier import, and imported again on request', async () => {
    expect((await send('once.json')).status).toBe(201);
    const earlier = await importOf('once.json');
    const repeated = await send('twice.json');
    expect(repeated.status).toBe(409);
    expect(await repeated.json()).toMatchObject({ title: 'Already imported', importId: earlier?.id });
    expect(await importOf('twice.json')).toBeUndefined();
    expect((await send('twice.json', '&again=true')).status).toBe(201);
    expect(await importOf('twice.json')).toMatchObject({ state: 'done', clients: 1 });
  });

  it('is imported again by a page only when the reader decides so', async () => {
    const page = await openClients();
    await drop(page, 'thrice.json', content);
    const dialog = page.getByRole('dialog', { name: 'Import this file again?' });
    await dialog.getByText(/the same content as thrice\.json was imported as once\.json/).waitFor();
    await dialog.getByRole('button', { name: 'Import again' }).click();
    await waitUntil('it is imported', async () => (await importOf('thrice.json'))?.state === 'done');
    await page.close();
  });
});
