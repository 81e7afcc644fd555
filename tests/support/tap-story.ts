import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { clientIdOf } from '@/server/client-id';
import { TapThreads } from '@/server/collect/tap/tap-threads';
import { type Emission, systemClock } from '@/server/observe';
import type { RunningSource, SourceStatus } from '@/server/source-status';
import { insecure } from '@/server/transport/grpc/credentials-config';
import { parseTarget } from '@/server/transport/targets/target';
import { waitUntil } from './wait-until';

/** A tap, its threads, and everything that it reports. */
export interface TapStory {
  readonly taps: TapThreads;
  readonly running: RunningSource;
  readonly address: string;
  readonly seen: Observation[];
  /** All reported bodies by hash. */
  readonly bodies: Map<string, Uint8Array>;
  /** The rows of all clients. */
  rows(): ResourceState[];
  status(): SourceStatus | undefined;
  of(kind: Observation['kind']): Observation[];
  /** The observations of a client's discovery streams, without those of load reports. */
  discoveryOf(nodeId: string): Observation[];
  close(): Promise<void>;
}

export async function startTap(
  upstream: string,
  onEmission: (emission: Emission) => void = () => {},
): Promise<TapStory> {
  const parsed = parseTarget(upstream);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const taps = new TapThreads({
    redactionKey: new Uint8Array(32),
    clock: systemClock,
    keepPace: async () => {},
  });
  const seen: Observation[] = [];
  const world: World = new Map();
  const bodies = new Map<string, Uint8Array>();
  let status: SourceStatus | undefined;
  const running = taps.open({
    sourceId: 'tap:test',
    settings: {
      listen: { host: '127.0.0.1', port: 0, text: '127.0.0.1:0' },
      upstream: parsed.target,
      listenTls: insecure,
      upstreamTls: insecure,
    },
    clock: systemClock,
    reports: function* () {
      for (const client of world.values())
        for (const report of client.reports.values()) yield { client, report };
    },
    observe: (emission) => {
      const { observation } = emission;
      onEmission(emission);
      seen.push(observation);
      foldObservation(world, { ...observation, seq: seen.length });
      for (const { hash, bytes } of emission.bodies) bodies.set(hash, bytes);
    },
    onStatus: (now) => {
      status = now;
    },
  });
  running.start();
  return {
    taps,
    running,
    address: await waitUntil('the tap listens', () => status?.tap?.address ?? undefined),
    seen,
    bodies,
    rows: () =>
      [...world.values()].flatMap(({ reports }) =>
        [...reports.values()].flatMap(({ resources }) => [...resources.values()]),
      ),
    status: () => status,
    of: (kind) => seen.filter((each) => each.kind === kind),
    discoveryOf: (nodeId) => {
      const own = seen.filter((each) => 'clientId' in each && each.clientId === clientIdOf(nodeId, ''));
      const ofLoad = new Set(
        own.flatMap((each) =>
          each.kind === 'stream-opened' && each.method === 'StreamLoadStats' ? [each.streamId] : [],
        ),
      );
      return own.filter((each) => !('streamId' in each && ofLoad.has(each.streamId)));
    },
    close: () => taps.close(),
  };
}

/** The ids of the open streams. */
export function openStreams(observations: readonly Observation[]): string[] {
  const open = new Set<string>();
  for (const each of observations) {
    if (each.kind === 'stream-opened') open.add(each.streamId);
    if (each.kind === 'stream-closed') open.delete(each.streamId);
  }
  return [...open];
}
