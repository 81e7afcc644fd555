import type { ChildProcess } from 'node:child_process';
import type { Observation, ResourceState } from '@/lib/observation/observation';
import { EDS } from '@/lib/xds/resource-type';
import {
  ManagementServer,
  type ManagementServerOptions,
} from '@/server/lab/management-server/management-server';
import { everyNode } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { launchReal, type RealKind } from './both-clients';
import { type FreezingProxy, startFreezingProxy } from './freezing-proxy';
import { startTap, type TapStory } from './tap-story';
import { type TwoClusters, twoClusterMesh } from './two-cluster-mesh';
import { waitUntil } from './wait-until';

export const storyPatienceMs = 60_000;

export interface RealClientStory {
  readonly tap: TapStory;
  readonly child: ChildProcess;
  /** The hop between the tap and the server. */
  readonly toServer: FreezingProxy;
  /** What the tap reported the client's discovery, oldest first. */
  own(): Observation[];
  server(): ManagementServer;
  serve(change: Partial<TwoClusters>): void;
  /** A management server in the place of one that was closed. */
  serveAgain(change?: Partial<TwoClusters>): Promise<void>;
  until<T>(what: string, ask: () => T | undefined | false): Promise<T>;
  /** As the client's newest word on it has it. */
  newestRow(typeUrl: string, name: string): ResourceState | undefined;
  close(): Promise<void>;
}

/** client - tap - hop - server: a real client, which holds everything when this resolves. */
export async function startRealClientStory(
  kind: RealKind,
  options: Partial<ManagementServerOptions> = {},
): Promise<RealClientStory> {
  let server = new ManagementServer({ clock: systemClock, ...options });
  server.setResources(everyNode, twoClusterMesh());
  const upstream = await server.listen();
  const toServer = await startFreezingProxy(upstream);
  const tap = await startTap(toServer.target);
  const child = launchReal(kind, tap.address);
  const own = () => tap.discoveryOf(kind.name);
  const story: RealClientStory = {
    ...{ tap, child, toServer, own },
    server: () => server,
    serve: (change) => server.setResources(everyNode, twoClusterMesh(change)),
    async serveAgain(change) {
      server = new ManagementServer({ clock: systemClock, noncePrefix: 'again-', ...options });
      server.setResources(everyNode, twoClusterMesh(change));
      await server.listen(Number(upstream.split(':')[1]));
    },
    until: (what, ask) => waitUntil(`${kind.title}: ${what}`, ask, storyPatienceMs),
    newestRow: (typeUrl, name) =>
      own()
        .flatMap((each) => ('changed' in each ? each.changed : []))
        .findLast((row) => row.typeUrl === typeUrl && row.name === name),
    async close() {
      child.kill('SIGKILL');
      await tap.close();
      toServer.close();
      await server.close();
    },
  };
  await story.until('it accepts the endpoints of both clusters', () => acceptsAll(own()));
  return story;
}

export function accepts(each: Observation, typeUrl: string, name: string): boolean {
  if (each.kind !== 'ack-sent' || each.typeUrl !== typeUrl) return false;
  return each.changed.some((row) => row.name === name && row.clientStatus === 'ACKED');
}

/** The endpoints come last. */
export function acceptsAll(observations: readonly Observation[]): boolean {
  return ['good', 'odd'].every((name) => observations.some((each) => accepts(each, EDS.typeUrl, name)));
}
