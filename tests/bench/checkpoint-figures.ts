import path from 'node:path';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ClientConfigChanged } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { systemClock } from '@/server/observe';
import { Checkpoints } from '@/server/store/checkpoints';
import { ObservationLog } from '@/server/store/log';
import { openSqlite } from '@/server/store/open-sqlite';
import { bodyOf } from '../support/builders/recorder-emissions';
import { simulatedNode } from '../support/simulated-fleet';
import { measure, print, printFigure, tempDir } from './measure';

const appendedAtOnce = 2_000;
/** A hundred clients change between two checkpoints. */
const changedClients = 100;

function reportOf(index: number, at: number, changed: readonly ResourceState[]): ClientConfigChanged {
  const { id, cluster = '', locality, metadata = {} } = simulatedNode(index);
  const { region = '', zone = '', subZone = '' } = locality ?? {};
  return {
    ...{ kind: 'client-config-changed', at, vantage: 'csds', sourceId: 'csds:127.0.0.1:1', side: 'client' },
    ...{ clientId: clientIdOf(id, ''), scope: '', changed, removed: [] },
    node: {
      ...{ id, cluster, locality: { region, zone, subZone }, metadata, clientFeatures: [] },
      ...{ userAgentName: 'gRPC Go', userAgentVersion: '1.64.0' },
    },
  };
}

/** Measures checkpoints of so many clients of four resources on SQLite. */
export async function printCheckpoints(clients: number): Promise<void> {
  const file = path.join(tempDir(), 'store.sqlite');
  const store = await openSqlite({ file });
  const log = new ObservationLog(store, systemClock);
  const world: World = new Map();
  const at = Date.now() - 60_000;
  const rows = [LDS, RDS, CDS, EDS].map(({ typeUrl }, index): ResourceState => {
    const { hash, bytes } = bodyOf(`config ${index}`, typeUrl);
    return {
      ...{ typeUrl, name: `outbound|80||service-${index}.shop`, versionInfo: '1', clientStatus: 'ACKED' },
      ...{ configStatus: 'UNKNOWN', lastUpdated: at, errorState: null, hash, sizeBytes: bytes.byteLength },
      ...{ isStatic: false, changedAt: at },
    };
  });
  let seq = 0;
  const append = async (reports: readonly ClientConfigChanged[]) => {
    await log.append({ observations: reports });
    for (const report of reports) foldObservation(world, { ...report, seq: ++seq });
    while (await log.followClients());
  };
  for (let from = 0; from < clients; from += appendedAtOnce) {
    const count = Math.min(appendedAtOnce, clients - from);
    await append(Array.from({ length: count }, (_, index) => reportOf(from + index, at, rows)));
  }
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const { wallMs, cpuMs } = await measure(work);
    printFigure(what, `${wallMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of the processor`);
  };
  print(`checkpoints of ${clients} clients of 4 resources, on SQLite:`);
  const checkpoints = new Checkpoints(log.checkpoints);
  await timed('the first is written', () => checkpoints.save(seq, world.values()));
  const changed = rows.slice(0, 1).map((row) => ({ ...row, versionInfo: '2' }));
  await append(Array.from({ length: changedClients }, (_, index) => reportOf(index, at, changed)));
  await timed(`the next, after ${changedClients} changed`, () => checkpoints.save(seq, world.values()));
  await store.close();
  const again = await openSqlite({ file });
  const restored = new Checkpoints(new ObservationLog(again, systemClock).checkpoints);
  await timed('read after a restart', () => restored.load());
  printFigure('  size of the store', `${((await again.size()).bytes / clients).toFixed(0)} bytes a client`);
  await again.close();
}
