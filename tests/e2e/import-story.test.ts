import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileImport } from '@/lib/api/imports';
import { ImportNames } from '@/server/files/import/import-names';
import { makeConfigDump } from '../support/big-dump';
import { getJson } from '../support/e2e-server';
import { type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

let story: Story;
const dump = [...makeConfigDump({ clusters: 40, routes: 20, routesPerConfig: 10, endpoints: 80 })].join('');

beforeAll(async () => {
  story = await startStory(['--no-lab']);
}, 120_000);
afterAll(async () => {
  await story.end();
  expect(story.pageErrors).toEqual([]);
});

/** Resolves when the scripts of the page run. */
function isListening(page: Page): Promise<void> {
  return page.getByText('live', { exact: true }).first().waitFor();
}

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

const importsOf = async (): Promise<FileImport[]> =>
  (await getJson<{ items: FileImport[] }>(`${story.server.url}/api/v1/imports`)).items;

describe('a file that is given to a page', { timeout: 240_000 }, () => {
  it('shows its graph, when a dump is dropped anywhere', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients`);
    await drop(page, 'gateway.json', dump);
    const tray = page.getByRole('region', { name: 'Imports' });
    await tray.getByRole('link', { name: 'Open its graph' }).click();
    await page.getByRole('group', { name: /configuration graph/i }).waitFor();
    await page
      .getByRole('button', { name: /listener.*0\.0\.0\.0_8000/i })
      .first()
      .waitFor();
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
    await page.close();
  });

  it('has all tabs of a client', async () => {
    const [imported] = await importsOf();
    const page = await story.newPage();
    const root = `${story.server.url}/clients/${imported?.clientIds[0]}`;
    await page.goto(`${root}/resources`);
    await page.getByText('routes-0', { exact: true }).first().waitFor();
    await page.goto(`${root}/resolved`);
    await page
      .getByText(/0\.0\.0\.0_8000|routes-0/)
      .first()
      .waitFor();
    await page.goto(`${root}/history`);
    await page
      .getByText(/gateway\.json/)
      .first()
      .waitFor();
    await page.goto(`${root}/findings`);
    await page
      .getByRole('tab', { name: /findings/i })
      .or(page.getByRole('link', { name: /findings/i }))
      .first()
      .waitFor();
    await page.close();
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
      .getByText(/no JSON from there on: it ends in the middle/)
      .first()
      .waitFor();
    const cut = (await importsOf()).find(({ label }) => label === 'cut.json');
    expect(cut).toMatchObject({ state: 'done', clients: 1, problems: 1 });
    expect(cut?.resources).toBeGreaterThan(39);
    await page.close();
  });

  it('states why another file is not imported', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients`);
    await drop(page, 'notes.txt', 'milk, bread, and a pound of butter');
    await page.getByText(/Not imported: expected JSON, YAML, protobuf text or protobuf/).waitFor();
    await page.close();
  });

  it('may be pasted as text, but not into a field', async () => {
    const page = await story.newPage();
    await page.goto(`${story.server.url}/clients`);
    const resource =
      '"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster\nname: pasted-cluster\nconnect_timeout: 1s\n';
    await isListening(page);
    await page.evaluate((text) => navigator.clipboard.writeText(text), resource);
    await page.keyboard.press('Control+V');
    const tray = page.getByRole('region', { name: 'Imports' });
    const pasted = tray.getByRole('listitem').filter({ hasText: 'pasted.yaml' });
    await pasted.getByRole('link', { name: 'Open its graph' }).waitFor();
    const before = (await importsOf()).length;
    const field = page.getByRole('searchbox').first();
    await field.click();
    await page.keyboard.press('Control+V');
    await expect.poll(() => field.inputValue()).toContain('pasted-cluster');
    expect(await importsOf()).toHaveLength(before);
    await page.close();
  });

  it('shows the client of a file that is being uploaded as soon as it is read', async () => {
    const upload = request(`${story.server.url}/api/v1/imports?name=slow.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(dump) },
    });
    upload.write(dump.slice(0, 1_000));
    await waitUntil('the file is on its way', async () =>
      (await importsOf()).some(({ label, endedAt }) => label === 'slow.json' && endedAt === null),
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
      ...makeConfigDump({ clusters: 1_500, routes: 20, routesPerConfig: 10, endpoints: 1_500 }),
    ].join('');
    // Several files at once are read one after the other.
    await waitUntil('the others are read', async () =>
      (await importsOf()).every(({ endedAt }) => endedAt !== null),
    );
    const upload = request(`${story.server.url}/api/v1/imports?name=large.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(large) },
    });
    const half = 3 * 1024 * 1024;
    upload.write(large.slice(0, half));
    const largeOne = async () => (await importsOf()).find(({ label }) => label === 'large.json');
    await waitUntil('its client is known', async () => (await largeOne())?.clients === 1);
    const early = await largeOne();
    expect(early).toMatchObject({ state: 'receiving', endedAt: null });
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
    await waitUntil('all of it is read', async () => (await largeOne())?.state === 'done');
    await page.getByText('The data below is what has been read so far').waitFor({ state: 'hidden' });
    expect(await largeOne()).toMatchObject({ resources: 3_005, problems: 0, clientIds: early?.clientIds });
    await page.close();
  });
});
