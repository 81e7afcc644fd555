import type { ChildProcess } from 'node:child_process';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { EDS } from '@/lib/xds/resource-type';
import {
  ManagementServer,
  type ManagementServerOptions,
} from '@/server/lab/management-server/management-server';
import { everyNode } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { launchReal, type RealKind } from './both-clients';
import { type TwoClusters, twoClusterMesh } from './builders/two-cluster-mesh';
import { type FreezingProxy, startFreezingProxy } from './freezing-proxy';
import { startTap, type TapStory } from './tap-story';
import { waitUntil } from './wait-until';

export const storyPatienceMs = 120_000;

export interface RealClientStory {
  readonly tap: TapStory;
  readonly child: ChildProcess;
  /** The hop between the tap and the server. */
  readonly toServer: FreezingProxy;
  /** The tap's observations of the client's discovery streams, oldest first. */
  own(): Observation[];
  server(): ManagementServer;
  serve(change: Partial<TwoClusters>): void;
  /** Starts a management server on the port of a closed one. */
  serveAgain(change?: Partial<TwoClusters>): Promise<void>;
  until<T>(what: string, ask: () => T | undefined | false): Promise<T>;
  /** The version of the client's newest ACK or NACK of the type. */
  newestRow(typeUrl: string, name: string): ResourceState | undefined;
  close(): Promise<void>;
}

/** client - tap - hop - server. Resolves when the real client has all resources. */
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

/** Endpoints are the last resources that a client requests. */
export function acceptsAll(observations: readonly Observation[]): boolean {
  return ['good', 'odd'].every((name) => observations.some((each) => accepts(each, EDS.typeUrl, name)));
}
