import { resourceKey } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ResourceState } from '@/lib/observation/resource-state';
import { createCodec } from '@/server/codec/codec';
import { CsdsPoller } from '@/server/collect/csds/poll';
import { launchClient } from '@/server/lab/clients/client-fleet';
import type { ShopClient } from '@/server/lab/clients/shop-clients';
import { systemClock } from '@/server/observe';
import { insecure } from '@/server/transport/grpc/credentials-config';
import { freePort } from './free-port';

/** A real gRPC client in a process of its own, with its CSDS answers. */
export interface RealClient {
  /** The resources of the newest answer by typeUrl and name. */
  rows(): ReadonlyMap<string, ResourceState>;
  close(): Promise<void>;
}

export async function startRealClient(
  client: ShopClient,
  adsTarget: string,
  python = '',
): Promise<RealClient> {
  const adminPort = await freePort();
  const child = launchClient(client, { adminPort, calls: client.calls }, { adsTarget, python });
  const redactionKey = new Uint8Array(32);
  const codec = createCodec({ redactionKey });
  const world: World = new Map();
  let seq = 0;
  const poller = new CsdsPoller({
    sourceId: 'csds:test',
    target: `127.0.0.1:${adminPort}`,
    security: { credentials: insecure, callCredentials: [] },
    intervalMs: 250,
    random: Math.random,
    codec,
    clock: systemClock,
    observe: ({ observation }) => void foldObservation(world, { ...observation, seq: ++seq }),
    onStatus: () => {},
  });
  poller.start();
  return {
    rows: () => {
      const reports = [...world.values()].flatMap(({ reports: all }) => [...all.values()]);
      const rows = reports.flatMap(({ resources }) => [...resources.values()]);
      return new Map(rows.map((row) => [resourceKey(row), row]));
    },
    async close() {
      child.kill('SIGKILL');
      await poller.close();
      await codec.close();
    },
  };
}

/** The parts that are equal in two runs, without times. */
export function plainRows(rows: ReadonlyMap<string, ResourceState>): Record<string, unknown> {
  return Object.fromEntries(
    [...rows]
      .sort()
      .map(([key, { versionInfo, clientStatus, hash, errorState }]) => [
        key.replace('\u0000', ' '),
        { versionInfo, clientStatus, hash, error: errorState?.details ?? null },
      ]),
  );
}
