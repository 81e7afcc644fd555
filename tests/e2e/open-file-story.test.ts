import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import type { ClientDetail, ClientSummary } from '@/lib/views/client/schema';
import type { LbTree } from '@/lib/views/failover/lb-tree-schema';
import type { FailoverHistory } from '@/lib/views/failover/periods-schema';
import type { FleetPage } from '@/lib/views/fleet/schema';
import type { Health } from '@/lib/views/health/schema';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { FileImport } from '@/lib/views/recording/import-schema';
import type { Pin } from '@/lib/views/recording/pin-schema';
import type { Source } from '@/lib/views/sources/schema';
import { bodyOf } from '../support/builders/recorder-emissions';
import { fileOf, recordsOf } from '../support/builders/xdscope-files';
import { getJson, startServer } from '../support/e2e-server';
import { streamStory } from '../support/log-story';
import { waitUntil } from '../support/wait-until';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-open-story-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const recordedAt = Date.UTC(2026, 0, 1);
/** A moment between the first NACK and its resolution. */
const gap = {
  fromSeq: 40,
  toSeq: 41,
  fromAt: recordedAt + 45,
  toAt: recordedAt + 55,
  reason: 'the disk was full',
};
const pinned = { from: recordedAt, to: recordedAt + 60, label: 'the incident' };
const isoOf = (at: number) => new Date(at).toISOString();

async function writeRecording(name: string): Promise<string> {
  const body = bodyOf('');
  const observations = streamStory(recordedAt).map((each, index): Recorded => {
    const resources = [{ name: 'cart', hash: body.hash, sizeBytes: 0 }];
    return each.kind === 'response-received' ? { ...each, resources, seq: index } : { ...each, seq: index };
  });
  const file = path.join(folder, name);
  const records = [
    { kind: 'bodies', bodies: [body] },
    { kind: 'observations', observations },
    { kind: 'gaps', gaps: [gap] },
    // Files with the same content are one import.
    {
      kind: 'labels',
      labels: [{ ...pinned, label: name.replace('a.xdscope', pinned.label), clientId: null }],
    },
  ] as const;
  writeFileSync(file, await fileOf(records));
  return file;
}

const openDirs = () => readdirSync(os.tmpdir()).filter((name) => /^xdscope-open-[0-9a-f]{12}$/.test(name));

const capturedAt = '2026-01-01T10:00:00Z';
const envoyType = (name: string) => ({ '@type': `type.googleapis.com/envoy.${name}` });
const addressOf = (ip: string) => ({ socket_address: { address: ip, port_value: 80 } });
const cluster = (name: string, ip: string) => ({
  ...envoyType('config.cluster.v3.Cluster'),
  ...{ name, type: 'STATIC' },
  load_assignment: {
    cluster_name: name,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: addressOf(ip) } }] }],
  },
});
const listener = (name: string) => ({
  ...envoyType('config.listener.v3.Listener'),
  ...{ name, address: addressOf('127.0.0.1') },
  filter_chains: [
    {
      filters: [
        {
          name: 'tcp',
          typed_config: {
            ...envoyType('extensions.filters.network.tcp_proxy.v3.TcpProxy'),
            ...{ stat_prefix: name, cluster: name },
          },
        },
      ],
    },
  ],
});
const host = (ip: string, counts: Record<string, string>, health: object) => ({
  address: addressOf(ip),
  stats: Object.entries(counts).map(([name, value]) => ({ name, value })),
  health_status: { eds_health_status: 'HEALTHY', ...health },
});
const served = { cx_connect_fail: '0', cx_total: '8', rq_error: '0', rq_success: '8' };
const unreachable = { cx_connect_fail: '31', cx_total: '31', rq_error: '12', rq_success: '0' };
/** The host of `pay` is ejected, and the Envoy has never connected to it. */
const proxyWithEjectedHost = {
  config_dump: {
    configs: [
      {
        ...envoyType('admin.v3.BootstrapConfigDump'),
        bootstrap: { node: { id: 'checkout-1', user_agent_name: 'envoy' } },
        last_updated: capturedAt,
      },
      {
        ...envoyType('admin.v3.ClustersConfigDump'),
        static_clusters: [cluster('cart', '10.0.0.1'), cluster('pay', '10.0.0.2')].map((each) => ({
          cluster: each,
          last_updated: capturedAt,
        })),
      },
      {
        ...envoyType('admin.v3.ListenersConfigDump'),
        static_listeners: [listener('cart'), listener('pay')].map((each) => ({
          listener: each,
          last_updated: capturedAt,
        })),
      },
    ],
  },
  clusters: {
    cluster_statuses: [
      { name: 'cart', host_statuses: [host('10.0.0.1', served, {})] },
      { name: 'pay', host_statuses: [host('10.0.0.2', unreachable, { failed_outlier_check: true })] },
    ],
  },
};

describe('open FILE...', () => {
  it('shows the files alone, in a data dir that is removed at the end', async () => {
    const files = [await writeRecording('a.xdscope'), await writeRecording('b.xdscope')];
    const before = openDirs();
    const server = await startServer(['open', ...files]);
    const own = openDirs().filter((name) => !before.includes(name));
    try {
      const { items: sources } = await getJson<{ items: Source[] }>(`${server.url}/api/v1/sources`);
      expect(sources.map(({ id, state }) => [id, state])).toEqual([
        ['file:a.xdscope', 'up'],
        ['file:b.xdscope', 'up'],
      ]);
      const { items } = await getJson<{ items: ClientSummary[] }>(`${server.url}/api/v1/clients`);
      expect(items.map(({ nodeId, scope }) => [nodeId, scope])).toEqual([
        ['client-a', 'a.xdscope'],
        ['client-a', 'b.xdscope'],
      ]);
      expect((await getJson<Health>(`${server.url}/api/v1/health`)).lab).toBe(false);

      // Each file has its own time range, gaps and pins.
      const api = `${server.url}/api/v1`;
      const id = items[0]?.id ?? '';
      const timeline = await getJson<HistoryTimeline>(`${api}/history/timeline?client=${id}`);
      expect(timeline).toMatchObject({
        kind: 'marks',
        from: recordedAt,
        gaps: [{ from: gap.fromAt }],
      });
      expect(timeline.to).toBeLessThan(recordedAt + 1_000);
      const momentAt = async (at: number) =>
        (await getJson<ClientDetail>(`${api}/clients/${id}?at=${isoOf(at)}`)).moment?.incomplete;
      expect(await momentAt(gap.fromAt - 1)).toBe('');
      expect(await momentAt(gap.toAt + 1)).toMatch(/was not recorded: the disk was full$/);
      const pinsOf = async (client: string | undefined) =>
        (await getJson<{ items: Pin[] }>(`${api}/pins`)).items.filter(({ clientId }) => clientId === client);
      expect(await pinsOf(id)).toMatchObject([{ label: pinned.label, from: pinned.from }]);
      // An export contains them; they are removed with the file.
      const again = path.join(folder, 'again.xdscope');
      const answer = await fetch(`${api}/export?client=${id}`);
      writeFileSync(again, Buffer.from(await answer.arrayBuffer()));
      const records = await recordsOf(readFileSync(again));
      expect(records.filter(({ kind }) => kind === 'gaps' || kind === 'labels')).toEqual([
        { kind: 'gaps', gaps: [gap] },
        { kind: 'labels', labels: [{ ...pinned, clientId: id }] },
      ]);
      expect(
        (await fetch(`${api}/sources/${encodeURIComponent('file:a.xdscope')}`, { method: 'DELETE' })).ok,
      ).toBe(true);
      expect(await pinsOf(id)).toEqual([]);
      expect(await pinsOf(items[1]?.id)).toHaveLength(1);
      expect(own).toHaveLength(1);
    } finally {
      await server.stop();
    }
    expect(existsSync(path.join(os.tmpdir(), own[0] ?? ''))).toBe(false);
  });

  it('opens files and folders, and states why others cannot be opened', async () => {
    const place = path.join(folder, 'mesh');
    mkdirSync(path.join(place, 'deep'), { recursive: true });
    const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'orders' };
    writeFileSync(path.join(place, 'deep', 'cluster.json'), JSON.stringify(cluster));
    writeFileSync(path.join(place, 'notes.json'), '{"a":1}');
    writeFileSync(path.join(place, '.hidden.json'), JSON.stringify(cluster));
    const server = await startServer(['open', place, path.join(folder, 'nowhere.json')]);
    try {
      const { items } = await getJson<{ items: Source[] }>(`${server.url}/api/v1/sources`);
      expect(items.map(({ id, state }) => [id, state])).toEqual([['file:mesh_deep_cluster.json', 'up']]);
      const imports = await getJson<{ items: FileImport[] }>(`${server.url}/api/v1/imports`);
      expect(imports.items.map(({ label, state }) => [label, state])).toEqual([
        ['mesh_notes.json', 'failed'],
        ['mesh_deep_cluster.json', 'done'],
      ]);
      expect(server.output()).toContain(
        `xdscope: ${path.join(place, 'notes.json')}: expected a document with xDS resources in it, got an object with a\n`,
      );
      expect(server.output()).toContain('nowhere.json: expected a file, and there is none\n');
    } finally {
      await server.stop();
    }
  });

  it('states what failed when the file was captured as an issue of then', async () => {
    const file = path.join(folder, 'proxy.json');
    writeFileSync(file, JSON.stringify(proxyWithEjectedHost));
    const server = await startServer(['open', file]);
    try {
      const ask = () => getJson<IssuePage>(`${server.url}/api/v1/issues`);
      await waitUntil('the client is checked', async () => (await ask()).checks.checked === 1);
      const { items } = await ask();
      expect(items.map(({ title, severity, since }) => [title, severity, since])).toEqual([
        ['Cluster pay has no usable host', 'critical', Date.parse(capturedAt)],
      ]);
      expect(items[0]?.clients).toMatchObject({ total: 1, imported: 1 });
      const fleet = await getJson<FleetPage>(`${server.url}/api/v1/fleet`);
      expect(fleet.items).toMatchObject([
        { client: { issues: [{ id: items[0]?.id, title: 'Cluster pay has no usable host' }] } },
      ]);
      // The listener that fails is shown first, and its history ends with the file.
      const client = `${server.url}/api/v1/clients/${items[0]?.clients.items[0]?.clientId}`;
      expect(await getJson<LbTree>(`${client}/lb-tree`)).toMatchObject({ listener: 'pay', cluster: 'pay' });
      const history = await getJson<FailoverHistory>(`${client}/failovers`);
      expect([history.cluster, history.items.length]).toEqual(['pay', 1]);
      expect(history.to).toBeLessThanOrEqual(Date.parse(capturedAt) + 30_000);
    } finally {
      await server.stop();
    }
  });

  it('states in one line what cannot be opened', async () => {
    const file = path.join(folder, 'other.json');
    writeFileSync(file, '{}');
    const before = openDirs();
    await expect(startServer(['open', file])).rejects.toThrow(
      /ended with 2: [\s\S]*xdscope: .*other\.json: expected a document with xDS resources in it, got an empty object\n/,
    );
    expect(openDirs()).toEqual(before);
  });
});
