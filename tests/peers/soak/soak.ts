import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { memoryMb } from '../../bench/process-figures';
import { freePort } from '../../support/free-port';
import { startBackend } from '../backend';
import { missingTools, preparePeer } from '../cache';
import { type ControlPlane, startScriptedServer } from '../control-plane';
import { envoy } from '../envoy/peer';
import { grpcGo } from '../grpc-go/peer';
import { grpcJsXds } from '../grpc-js-xds/peer';
import { Mesh, names, services } from '../mesh';
import type { ClientPeer, RunningClient } from '../peer';
import { findEntrances, type Servers, startXdscope } from '../xdscope';
import { type Figure, judge } from './trend';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, out: { type: 'string' } },
});
const durationMs = Number(values.minutes) * 60_000;
if (!(durationMs > 0)) throw new Error(`--minutes: expected a number above 0, got "${values.minutes}"`);
const samplesTaken = 120;
const rowsPrinted = 30;
const changeEveryMs = 1_000;
/** The log is full after a part of the run, so that the disk can level off. */
const retention = ['--retention-megabytes', '8', '--retention-count', '20000'];

type Sample = Record<keyof typeof figures, number> & {
  readonly atMs: number;
  readonly handlesByType: Readonly<Record<string, number>>;
};
const figures = {
  memory: { name: 'resident memory', unit: ' MB', digits: 1, share: 0.05, amount: 10 },
  handles: { name: 'open handles', unit: '', digits: 0, share: 0.02, amount: 2 },
  threads: { name: 'threads', unit: '', digits: 0, share: 0, amount: 1 },
  disk: { name: 'disk', unit: ' MB', digits: 1, share: 0.05, amount: 2 },
} as const satisfies Record<string, Figure>;

interface SoakedPeer {
  readonly peer: ClientPeer;
  readonly server: ControlPlane;
  readonly mesh: Mesh;
  readonly backend: { close(): void };
  start(entrance: string): Promise<RunningClient>;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const workDir = values.out ?? mkdtempSync(path.join(os.tmpdir(), 'xdscope-soak-'));
mkdirSync(workDir, { recursive: true });
print(`logs: ${workDir}`);

let failed = 0;
let passed = 0;
const peers: SoakedPeer[] = [];
for (const peer of [envoy, grpcGo, grpcJsXds]) {
  const missing = missingTools(peer);
  if (missing.length > 0) {
    print(`skipped: ${peer.name}: ${missing.join(', ')} not found`);
    if (process.env.CI === 'true') failed += 1;
    continue;
  }
  peers.push(await preparedPeer(peer));
}
const [first, ...others] = peers.map(({ server }) => server.target);
if (first === undefined) throw new Error('no peer can run on this machine');
const servers: Servers = [first, ...others];
const entrances = await findEntrances('tap', servers);
const args = [...retention, '--lab'];
const xdscope = await startXdscope({ vantage: 'tap', servers, entrances, workDir, args });
const clients: RunningClient[] = [];
for (const [index, { peer, start }] of peers.entries()) {
  const client = await start(entrances[index] ?? first);
  await xdscope.observe(client.adminTarget, peer.flavor === 'envoy' ? 'envoy-admin' : 'csds');
  clients.push(client);
}
const soaked = peers.map(({ peer }) => `${peer.name} ${peer.versions[0]}`).join(', ');
print(`${values.minutes} minutes of the lab, and of ${soaked} behind taps, polled as well`);

const samples: Sample[] = [];
const begin = Date.now();
print(['minutes', ...Object.values(figures).map(({ name, unit }) => `${name}${unit}`)].join('  '));
for (let round = 0; Date.now() - begin < durationMs; round += 1) {
  for (const each of peers) await change(each, round);
  await readPages();
  if (Date.now() - begin >= (samples.length * durationMs) / samplesTaken) {
    const sample = takeSample();
    if (samples.length % (samplesTaken / rowsPrinted) === 0) printRow(sample);
    samples.push(sample);
  }
  await new Promise((resolve) => setTimeout(resolve, changeEveryMs));
}
for (const client of clients) await client.stop();
await xdscope.stop();
for (const { server, backend } of peers) {
  await server.close();
  backend.close();
}
writeFileSync(path.join(workDir, 'samples.json'), JSON.stringify(samples, null, 2));

for (const [key, figure] of Object.entries(figures) as [keyof typeof figures, Figure][]) {
  const { isLevel, text } = judge(
    figure,
    samples.map(({ atMs, [key]: value }) => ({ atMs, value })),
  );
  if (isLevel) passed += 1;
  else failed += 1;
  print(`${isLevel ? 'ok    ' : 'FAILED'} ${text}`);
}
print(`${passed} passed, ${failed} failed`);
// Sockets of peers that were killed may still be open.
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function preparedPeer(peer: ClientPeer): Promise<SoakedPeer> {
  const prepared = await preparePeer(peer, peer.versions[0] ?? '');
  const { flavor } = peer;
  const backend = await startBackend(flavor);
  const listenerPorts = { 'svc-a': await freePort(), 'svc-b': await freePort() };
  const mesh = new Mesh({ flavor, backendPort: backend.port, listenerPorts });
  const server = await startScriptedServer();
  for (const service of ['CDS', 'EDS', 'LDS', 'RDS'] as const)
    await server.push(services[service].typeUrl, mesh.resources(service), 'v0');
  const peerDir = path.join(workDir, peer.name);
  mkdirSync(peerDir);
  const start: SoakedPeer['start'] = (entrance) =>
    peer.start(prepared, {
      ...{ nodeId: `${peer.name}-soak`, servers: [entrance], serverFeatures: [], protocol: 'sotw' },
      ...{ workDir: peerDir, listenerPorts },
    });
  return { peer, server, mesh, backend, start };
}

/** Ten payloads of each type in turn; one type in ten is NACKed. Envoy warms a changed cluster until EDS comes again. */
async function change({ server, mesh }: SoakedPeer, round: number): Promise<void> {
  for (const [index, service] of (['CDS', 'EDS', 'LDS', 'RDS'] as const).entries()) {
    const [name] = names[service];
    const fault = (round * 4 + index) % 10 === 9 ? 'invalid' : undefined;
    mesh.change(service, name, { revision: 1 + (round % 10), fault });
    await server.push(services[service].typeUrl, mesh.resources(service), `v${round}`);
  }
}

/** Reads what the pages of a user read. */
async function readPages(): Promise<void> {
  const { items } = await xdscope.get<{ readonly items: readonly { readonly id: string }[] }>('clients');
  for (const question of ['health', 'nacks', 'fleet?limit=50', 'history?limit=50', 'load', 'lab'])
    await xdscope.get(question);
  for (const { id } of items)
    for (const part of ['resources', 'graph', 'findings']) await xdscope.get(`clients/${id}/${part}`);
}

function takeSample(): Sample {
  const { pid, dataDir } = xdscope.process;
  const handlesByType = countHandles(pid);
  return {
    ...{ atMs: Date.now() - begin, handlesByType },
    memory: memoryMb(pid, 'VmRSS'),
    handles: Object.values(handlesByType).reduce((sum, count) => sum + count, 0),
    threads: readdirSync(`/proc/${pid}/task`).length,
    disk: sizeOf(dataDir) / 1e6,
  };
}

function printRow(sample: Sample): void {
  const cells = Object.entries(figures).map(([key, { name, unit, digits }]) =>
    sample[key as keyof typeof figures].toFixed(digits).padStart(name.length + unit.length),
  );
  print([(sample.atMs / 60_000).toFixed(1).padStart(7), ...cells].join('  '));
}

/** Counts of "socket", "anon_inode", "pipe" and paths of files. */
function countHandles(pid: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const handle of readdirSync(`/proc/${pid}/fd`)) {
    const target = targetOf(`/proc/${pid}/fd/${handle}`);
    counts[target] = (counts[target] ?? 0) + 1;
  }
  return counts;
}

/** A handle can be closed while the others are read. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link).replace(/:.*/, '');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** A file can be removed while the folder is read. */
function sizeOf(dir: string): number {
  const sizes = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map(
    (file) => statSync(path.join(dir, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
