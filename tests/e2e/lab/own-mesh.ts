import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Graph } from '@/lib/views/graph/schema';
import type { LabStatus } from '@/lib/views/lab/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { Source } from '@/lib/views/sources/schema';
import { fetchApi, getJson, type RunningServer, startServer } from '../../support/e2e-server';
import { findClient, type Story, startStory } from '../../support/e2e-story';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

/** The sources of this server are the addresses of the shared lab, as if it were the mesh of somebody else. */
let own: Story;
let lab: LabStatus;

const addressOf = (name: string): string => lab.processes.find((p) => p.name === name)?.address ?? '';

const api = (name: string): string => `${own.server.url}/api/v1/${name}`;

describe('a server whose sources are of another mesh', () => {
  beforeAll(async () => {
    const folder = tempDataDir();
    lab = await getJson<LabStatus>(`${story.server.url}/api/v1/lab`);
    await findClient(story, 'shop-web');
    const bootstrap = path.join(folder, 'bootstrap.json');
    writeFileSync(
      bootstrap,
      JSON.stringify({
        xds_servers: [{ server_uri: addressOf('lab-control-plane'), channel_creds: [{ type: 'insecure' }] }],
        node: {
          id: 'from-bootstrap',
          cluster: 'mine',
          locality: { region: 'eu' },
          metadata: { app: 'probe' },
        },
      }),
    );
    const config = path.join(folder, 'config.yaml');
    writeFileSync(
      config,
      `csds:\n  - { target: "${addressOf('shop-web')}", label: my web }\nlrsListen: 127.0.0.1:0\n`,
    );
    own = await startStory([
      '--config',
      config,
      '--csds',
      addressOf('shop-checkout'),
      '--bootstrap',
      bootstrap,
    ]);
  });
  afterAll(async () => {
    await own?.end();
  });

  it('prefers a flag to the config file, and runs no lab', async () => {
    const { items } = await getJson<{ items: Source[] }>(api('sources'));
    expect(items.map((source) => source.kind).sort()).toEqual(['ads', 'csds', 'lrs']);
    expect((await getJson<LabStatus>(api('lab'))).running).toBe(false);
  });

  it('takes the node of its probe from the bootstrap; the control plane reports that the probe is SYNCED', async () => {
    const probe = await findClient(own, 'from-bootstrap');
    expect(probe).toMatchObject({ cluster: 'mine', isProbe: true });
    await waitUntil('all is ACKED', async () => {
      const { items } = await getJson<{ items: ResourceRowJson[] }>(api(`clients/${probe.id}/resources`));
      return items.length > 20 && items.every((row) => row.clientStatus === 'ACKED');
    });
    const theirs = await waitUntil('the control plane reports that our probe has everything', async () => {
      const client = await findClient(story, 'from-bootstrap');
      const reported = client.types.map((type) => type.byConfigStatus);
      expect(reported).toEqual(client.types.map((type) => ({ SYNCED: type.total })));
      return client.types.length > 3 ? client : undefined;
    });
    // A process of that mesh may have the same node id.
    expect(theirs.id).not.toBe(probe.id);
  });

  it('shows the same resources and graph of a client as the other xdscope', async () => {
    const here = await findClient(own, 'shop-checkout');
    const there = await findClient(story, 'shop-checkout');
    expect(here.id).toBe(there.id);
    const facts = async ({ server }: Story): Promise<unknown[]> => {
      const { items } = await getJson<{ items: ResourceRowJson[] }>(
        `${server.url}/api/v1/clients/${here.id}/resources`,
      );
      return items.map(({ typeUrl, name, versionInfo, clientStatus, hash }) => ({
        typeUrl,
        name,
        versionInfo,
        clientStatus,
        hash,
      }));
    };
    await waitUntil('both have polled the same state', async () => {
      expect(await facts(own)).toEqual(await facts(story));
      return true;
    });
    const ids = async ({ server }: Story): Promise<string[]> =>
      (await getJson<Graph>(`${server.url}/api/v1/clients/${here.id}/graph`)).nodes
        .map((node) => node.id)
        .sort();
    await waitUntil('both draw the same graph', async () => {
      expect(await ids(own)).toEqual(await ids(story));
      return true;
    });
  });

  it('returns bodies whose bytes have the hash in their URL', async () => {
    const { id } = await findClient(own, 'shop-checkout');
    const { items } = await getJson<{ items: ResourceRowJson[] }>(api(`clients/${id}/resources`));
    for (const { hash, sizeBytes } of items.filter((row) => row.hash !== null)) {
      const bytes = Buffer.from(await (await fetchApi(api(`resources/${hash}?format=binary`))).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
      expect(bytes.length).toBe(sizeBytes);
    }
    expect((await fetchApi(api(`resources/${'0'.repeat(64)}`))).status).toBe(404);
    expect((await fetchApi(api('resources/nonsense'))).status).toBe(400);
  });

  it('a second server over the same data directory ends with one line that states the reason', async () => {
    let started: RunningServer | undefined;
    const rejection = await startServer(['--no-lab', '--data-dir', own.dataDir]).then(
      (server) => {
        started = server;
        return '';
      },
      (error: unknown) => String(error),
    );
    await started?.stop();
    expect(rejection).toMatch(/in use|another/i);
    expect(rejection).not.toMatch(/\n\s+at /);
  });
});
