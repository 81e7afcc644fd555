import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { ClientsPage } from '@/lib/views/client/schema';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { type Body, type Emission, systemClock } from '@/server/observe';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { bodyOf } from '../support/builders/recorder-emissions';
import { getJson, startServer } from '../support/e2e-server';
import { simulatedNode } from '../support/simulated-fleet';
import { answer, childTask, inOwnProcess } from './in-own-process';
import { print, tempDir } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';

/** The duration of a restart with many clients in the data directory, and its growth with their number. */
const counts = (process.env.XDSCOPE_BENCH_CLIENTS ?? '25000,100000').split(',').map(Number);
const perClient = 4;
/** The source of all clients is down, so that the log grows and the server writes a checkpoint when it ends. */
const unreachable = '127.0.0.1:1';
const appendedAtOnce = 2_000;
const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
const types = [LDS, RDS, CDS, EDS];

/** The resources that all clients share: one of each type, like those of a small gRPC client. */
function sharedResources(at: number): { readonly rows: ResourceState[]; readonly bodies: Body[] } {
  const rows: ResourceState[] = [];
  const bodies: Body[] = [];
  for (let index = 0; index < perClient; index++) {
    const { typeUrl } = types[index % types.length] ?? CDS;
    const body = bodyOf(`config ${index} ${'x'.repeat(500)}`, typeUrl);
    bodies.push(body);
    rows.push({
      ...{ typeUrl, name: `outbound|80||service-${index}.shop`, versionInfo: '1', clientStatus: 'ACKED' },
      ...{ configStatus: 'UNKNOWN', lastUpdated: at, errorState: null, hash: body.hash },
      ...{ sizeBytes: body.bytes.byteLength, isStatic: false, changedAt: at },
    });
  }
  return { rows, bodies };
}

/** Writes the data directory of a run with so many clients, with the recorder itself. */
async function writeDataDir(dataDir: string, clients: number): Promise<void> {
  const at = Date.now() - 60_000;
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
  const world: World = new Map();
  const { rows, bodies } = sharedResources(at);
  let seq = 0;
  for (let index = 0; index < clients; index++) {
    const { id, cluster = '', locality, metadata = {} } = simulatedNode(index);
    const { region = '', zone = '', subZone = '' } = locality ?? {};
    const node = {
      ...{ id, cluster, locality: { region, zone, subZone }, metadata, clientFeatures: [] },
      ...{ userAgentName: 'gRPC Go', userAgentVersion: '1.64.0' },
    };
    const emission: Emission = {
      observation: {
        ...{
          kind: 'client-config-changed',
          at,
          vantage: 'csds',
          sourceId: `csds:${unreachable}`,
          side: 'client',
        },
        ...{ clientId: clientIdOf(id, ''), node, scope: '', changed: rows, removed: [] },
      },
      bodies: index === 0 ? bodies : [],
    };
    seq = recorder.append(emission);
    foldObservation(world, { ...emission.observation, seq });
    if (index % appendedAtOnce === 0) await recorder.flushed();
  }
  await recorder.saveCheckpoint(seq, world.values());
  await recorder.close();
}

interface Restart {
  readonly listMs: number;
  readonly listCpuSeconds: number;
  readonly residentMb: number;
  readonly endMs: number;
}

/** Measures from the spawn to the first 200 lines of the list of clients, and from SIGTERM to the exit. */
async function measureRestart(dataDir: string, clients: number): Promise<Restart> {
  const startedAt = performance.now();
  const server = await startServer(['--data-dir', dataDir, '--csds', unreachable]);
  const pid = server.process.pid ?? 0;
  try {
    const { items, total } = await getJson<ClientsPage>(`${server.url}/api/v1/clients?limit=200`);
    if (total !== clients || items.length !== 200)
      throw new Error(`bench: expected 200 of ${clients} clients, got ${items.length} of ${total}`);
    const listMs = performance.now() - startedAt;
    const [listCpuSeconds, residentMb] = [cpuSeconds(pid), memoryMb(pid, 'VmRSS')];
    const endingAt = performance.now();
    await server.stop();
    return { listMs, listCpuSeconds, residentMb, endMs: performance.now() - endingAt };
  } finally {
    await server.stop('SIGKILL');
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

if (childTask() === 'write') {
  const [dataDir = '', clients = ''] = process.argv.slice(-2);
  await writeDataDir(dataDir, Number(clients));
  answer({});
} else {
  const folder = tempDir();
  const measured: Restart[] = [];
  for (const clients of counts) {
    const dataDir = path.join(folder, String(clients));
    const writingAt = performance.now();
    inOwnProcess('write', dataDir, String(clients));
    print(
      `${clients} clients of ${perClient} resources (written in ${seconds(performance.now() - writingAt)})`,
    );
    const restart = await measureRestart(dataDir, clients);
    measured.push(restart);
    print(
      `  from the spawn to the first 200 of the list ${seconds(restart.listMs)}, ` +
        `${restart.listCpuSeconds.toFixed(1)} s of processor, ${restart.residentMb.toFixed(0)} MiB resident`,
    );
    print(`  from SIGTERM to the exit ${seconds(restart.endMs)} (goal 3 s)`);
  }
  const [few, many] = measured;
  if (few !== undefined && many !== undefined) {
    const [from, to] = counts;
    const byClock = (many.listMs / few.listMs).toFixed(2);
    const byProcessor = (many.listCpuSeconds / few.listCpuSeconds).toFixed(2);
    print(`time(${to}) / time(${from}): ${byClock} by the clock (goal 4.5), ${byProcessor} by the processor`);
  }
}
