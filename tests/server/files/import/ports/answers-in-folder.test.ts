import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import type { FileMessage } from '@/server/files/import/file-messages';
import type { Imports } from '@/server/files/import/imports';
import { openFiles } from '@/server/files/import/open-files';
import { readFileMessages } from '@/server/files/import/read-file';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-answers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'cart' };
const socket = (port: number) => ({ socket_address: { address: '10.0.0.1', port_value: port } });
const bootstrap = {
  '@type': 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump',
  bootstrap: { node: { id: 'edge-1' } },
};
const dump = JSON.stringify({ configs: [bootstrap, { static_clusters: [{ cluster }] }] });
const hosts = JSON.stringify({
  cluster_statuses: [{ name: 'cart', host_statuses: [{ address: socket(80), health_status: {} }] }],
});
const listeners = 'http::10.0.0.1:8080\n';

function write(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const place = path.join(folder, name);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    writeFileSync(path.join(place, file), content);
  }
  return place;
}

/** The files that are imported together, by the name of the import. */
async function open(place: string): Promise<Record<string, string[]>> {
  const opened: Record<string, string[]> = {};
  const addFile = async (file: string, name: string, others: readonly string[] = []): Promise<void> => {
    opened[name] = [file, ...others].map((each) => path.relative(place, each));
  };
  await openFiles(
    { addFile } as unknown as Imports,
    [place],
    () => undefined,
    () => undefined,
  );
  return opened;
}

let reads = 0;
async function read([file = '', ...others]: string[], modifiedAt?: number): Promise<FileMessage[]> {
  const messages: FileMessage[] = [];
  const name = path.join(folder, `read-${++reads}`);
  const options = {
    ...{ file, others, modifiedAt, uploadFile: `${name}.upload`, unpackedFile: `${name}.unpacked` },
    ...{ redactionKey: Buffer.from('tests'), now: Date.UTC(2026, 5), signal: new AbortController().signal },
  };
  for await (const message of readFileMessages(options)) messages.push(message);
  return messages;
}

it('the answers of one Envoy in a folder are imported as one client, other files alone', async () => {
  const place = write('one', {
    'config_dump.json': dump,
    'clusters.json': hosts,
    'listeners.txt': listeners,
    'server_info.json': '{}',
    'notes.yaml': 'a: 1',
  });
  expect(await open(place)).toEqual({
    one: ['clusters.json', 'config_dump.json', 'listeners.txt', 'server_info.json'],
    'one/notes.yaml': ['notes.yaml'],
  });
});

it('each folder and each prefix is an Envoy of its own', async () => {
  const place = write('two', {
    'a/config_dump': dump,
    'a/clusters': hosts,
    'b/config_dump': dump,
    'edge-1.config_dump.json': dump,
    'edge-1.clusters.json': hosts,
    'edge-2.config_dump.json.gz': gzipSync(dump),
  });
  expect(await open(place)).toEqual({
    'two/a': ['a/clusters', 'a/config_dump'],
    'two/b/config_dump': ['b/config_dump'],
    'two/edge-1': ['edge-1.clusters.json', 'edge-1.config_dump.json'],
    'two/edge-2.config_dump.json.gz': ['edge-2.config_dump.json.gz'],
  });
});

it.each([
  [
    'its own time, in JSON',
    '{"last_updated": "2026-02-03T04:05:06.789Z", "static_clusters": []}',
    1,
    '2026-02-03',
  ],
  ['its own time, in YAML', "static_clusters: []\nlast_updated: '2026-02-03T04:05:06Z'\n", 1, '2026-02-03'],
  ['the time at which the file was written', '{"static_clusters": []}', Date.UTC(2026, 0, 2), '2026-01-02'],
  ['no time, if nothing states it', '{"static_clusters": []}', undefined, undefined],
  ['no time, if the file is from the future', '{"static_clusters": []}', Date.UTC(2030, 0, 2), undefined],
])('a snapshot has %s', async (_, text, modifiedAt, expected) => {
  const content = text.replace(
    '"static_clusters": []',
    `"static_clusters": [{"cluster": ${JSON.stringify(cluster)}}]`,
  );
  const yaml = content.replace(
    'static_clusters: []',
    `static_clusters: [{cluster: ${JSON.stringify(cluster)}}]`,
  );
  const place = write('times', { 'dump.txt': yaml });
  const messages = await read([path.join(place, 'dump.txt')], modifiedAt);
  const at = messages.find((each) => each.kind === 'begin')?.at ?? undefined;
  expect(at && new Date(at).toISOString().slice(0, 10)).toBe(expected);
});

it('one client has the resources, hosts and listeners of all files, packed or as text', async () => {
  const place = write('parts', {
    'config_dump.json.gz': gzipSync(dump),
    'clusters.json': hosts,
    'listeners.txt': listeners,
  });
  const files = ['clusters.json', 'config_dump.json.gz', 'listeners.txt'];
  const messages = await read(files.map((file) => path.join(place, file)));
  const begin = messages.find((each) => each.kind === 'begin');
  expect(begin?.reports.map(({ node }) => node.id)).toEqual(['edge-1']);
  const rows = messages.flatMap((each) => (each.kind === 'batch' ? each.rows : []));
  expect(rows.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`)).toEqual(
    expect.arrayContaining(['ClusterStatus cart', 'Cluster cart']),
  );
  const connections = messages.flatMap((each) => (each.kind === 'connections' ? each.connections : []));
  expect(connections.map(({ kind, target, state }) => `${kind} ${target} ${state}`)).toEqual([
    'host 10.0.0.1:80 HEALTHY',
    'listener 10.0.0.1:8080 READY',
  ]);
});
