import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LabStatus } from '@/lib/views/lab/schema';
import type { Source } from '@/lib/views/sources/schema';
import { fetchApi, getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, describeWithoutLab, openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

let web: Server;

beforeAll(async () => {
  web = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
});
afterAll(async () => {
  web.close();
});

describe('a source that is no gRPC server', () => {
  it('is added in the browser with an explanation of its error, and the other sources stay up', async () => {
    const client = await findClient(story, 'shop-web');
    const target = `127.0.0.1:${(web.address() as AddressInfo).port}`;
    const page = await openPage('/sources');
    await page.getByRole('button', { name: 'Add a source' }).first().click();
    await page
      .getByRole('dialog')
      .getByLabel(/target|host:port|address/i)
      .first()
      .fill(target);
    await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click();
    await page
      .getByText(/HTTP\/1/)
      .first()
      .waitFor();

    const { items } = await getJson<{ items: Source[] }>(api('sources'));
    const dead = items.find((source) => source.target === target);
    expect(dead).toMatchObject({ state: 'down', origin: 'browser' });
    expect(items.filter((source) => source.state === 'up').length).toBeGreaterThan(4);
    expect((await findClient(story, client.nodeId)).freshness).toBe('live');
  });
});

describe('the lab, from outside', () => {
  it('a gRPC bootstrap is uploaded, the files that it names are ignored, and it is removed on a phone', async () => {
    const { processes } = await getJson<LabStatus>(api('lab'));
    const server = processes.find(({ kind }) => kind === 'management-server')?.address;
    const bootstrap = {
      xds_servers: [{ server_uri: server, channel_creds: [{ type: 'insecure' }] }],
      node: { id: 'from-a-file' },
      certificate_providers: {
        mesh: { plugin_name: 'file_watcher', config: { ca_certificate_file: '/etc/mesh/ca.pem' } },
      },
    };
    const page = await openPage('/sources');
    await page.getByRole('button', { name: 'Add a source' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('ADS', { exact: true }).click();
    await dialog.getByText('A bootstrap', { exact: true }).click();
    const choosing = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose a file' }).click();
    await (await choosing).setFiles({
      ...{ name: 'bootstrap.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify(bootstrap)),
    });
    const field = dialog.getByRole('textbox', { name: 'Bootstrap' });
    await waitUntil('the file is in the field', async () =>
      (await field.inputValue()).includes('from-a-file'),
    );
    await dialog.getByLabel('Name (optional)').fill('from a bootstrap');
    await dialog.getByRole('button', { name: /^Add/ }).click();
    await dialog.waitFor({ state: 'detached' });

    const source = page.locator('tbody').filter({ hasText: 'from a bootstrap' });
    await source
      .getByText(/names files or sockets of this machine, which are ignored: certificate_providers\.mesh/)
      .waitFor();
    await source.getByText('up', { exact: true }).waitFor();
    expect(await source.innerText()).not.toContain('/etc/mesh/ca.pem');

    await page.setViewportSize({ width: 390, height: 844 });
    for (const button of await source.getByRole('button', { name: /^(Pause|Edit|Remove) / }).all()) {
      const box = await button.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    await source.getByRole('button', { name: 'Remove from a bootstrap' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await source.waitFor({ state: 'detached' });
  });

  it('a killed client is reported as crashed, marked, and started again', async () => {
    const pid = await waitUntil(
      'shop-mobile runs',
      async () => {
        const { processes } = await getJson<LabStatus>(api('lab'));
        const found = processes.find((p) => p.name === 'shop-mobile' && p.state === 'running');
        return found?.pid;
      },
      labStartMs,
    );
    process.kill(pid, 'SIGKILL');
    await waitUntil('the crash is an event', async () => {
      const { items } = await getJson<{ items: { kind: string; text: string }[] }>(api('events'));
      return items.some((event) => event.kind === 'client-crashed' && event.text.includes('shop-mobile'));
    });
    await waitUntil(
      'the client is back',
      async () => {
        const again = (await getJson<LabStatus>(api('lab'))).processes.find((p) => p.name === 'shop-mobile');
        return again?.state === 'running' && again.pid !== pid;
      },
      labStartMs,
    );
    await waitUntil('it is live', async () => (await findClient(story, 'shop-mobile')).freshness === 'live');
  });

  it('requests from other origins are rejected', async () => {
    const foreign = { origin: 'http://evil.example' };
    const write = await fetchApi(api('lab/background-faults'), {
      method: 'POST',
      headers: { ...foreign, 'content-type': 'application/json' },
      body: '{"backgroundFaults":"on"}',
    });
    expect(write.status).toBe(403);
    expect((await fetchApi(api('stream'), { headers: foreign })).status).toBe(403);
    const form = await fetchApi(api('sources'), { method: 'POST', body: 'kind=csds' });
    expect(form.status).toBe(415);
    const odd = await sendJson('POST', api('sources'), { kind: 'csds', target: 'unix:/run/x' });
    expect(odd.status).toBe(400);
    expect(odd.headers.get('content-type')).toBe('application/problem+json');
  });
});

let pids: number[];
let exitCode: number | null;
let output: string;

async function endWithSigterm(): Promise<void> {
  const { processes } = await getJson<LabStatus>(api('lab'));
  pids = processes.flatMap((p) => (p.kind.includes('client') && p.pid !== undefined ? [p.pid] : []));
  exitCode = await story.server.stop('SIGTERM');
  output = story.server.output();
}

describeWithoutLab(
  'sources',
  () => {
    it('contain the source that was added in the browser, which can be removed', async () => {
      const { items } = await getJson<{ items: Source[] }>(api('sources'));
      const dead = items.find((source) => source.origin === 'browser');
      expect(dead).toBeDefined();
      const removed = await fetchApi(api(`sources/${encodeURIComponent(dead?.id ?? '')}`), {
        method: 'DELETE',
      });
      expect(removed.status).toBe(204);
    });

    it('of the lab ended with its server after SIGTERM', async () => {
      expect(exitCode).toBe(0);
      expect(pids.length).toBeGreaterThanOrEqual(4);
      await waitUntil('no process is left', () => pids.every((pid) => !isAlive(pid)));
      expect(output).not.toContain('unhandled rejection');
    });
  },
  endWithSigterm,
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
