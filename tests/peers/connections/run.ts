import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ConnectionRow, ConnectionsPage } from '@/lib/api/connections';
import type { ConnectivityState } from '@/lib/observation/connection';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { freePort } from '../../support/free-port';
import type { MeshResource } from '../../support/topology-mesh';
import { waitUntil } from '../../support/wait-until';
import { startScriptedServer } from '../control-plane';
import type { ClientPeer, Prepared } from '../peer';
import type { Results } from '../results';
import { startXdscope } from '../xdscope';
import { startEchoBackend } from './echo-backend';
import { PeerChannelz } from './peer-channelz';

export const chapter = 'connections';

/** The longest time between a state of the peer and the same state in xdscope. */
const mostLateMs = 2_000;
const cluster = 'cart';
const target = 'svc-a';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const manager = {
  '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
  routeConfig: {
    name: 'routes',
    virtualHosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster } }] }],
  },
  httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
};

interface Host {
  readonly port: number;
  readonly priority: number;
  readonly health: string;
}

/**
 * A gRPC client with a priority of a live and a dead endpoint, and a second priority. Compares the states that xdscope shows
 * with those of the client's channelz, and measures how late they are.
 */
export async function runConnections(options: {
  readonly peer: ClientPeer;
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { peer, prepared, results, print } = options;
  const title = `${peer.name} ${prepared.version}`;
  const of = { flavor: peer.flavor, peer: title, protocol: 'sotw', server: 'scripted', chapter } as const;
  const workDir = path.join(options.workDir, `${peer.name}-${prepared.version}-${chapter}`);
  mkdirSync(workDir, { recursive: true });
  const stops: (() => Promise<void> | void)[] = [];
  let moment = 'start';
  try {
    const first = await startEchoBackend();
    const second = await startEchoBackend();
    stops.push(first.stop, second.stop);
    const deadPort = await freePort();
    const server = await startScriptedServer();
    stops.unshift(() => server.close());
    let version = 0;
    const serve = async (hosts: readonly Host[]): Promise<void> => {
      version += 1;
      const resources = meshOf(hosts);
      for (const { typeUrl } of [CDS, EDS, LDS]) {
        const ofType = resources.filter((each) => each.typeUrl === typeUrl);
        const encoded = ofType.map(({ name, body }) => ({ typeUrl, name, bytes: encodeBody(typeUrl, body) }));
        await server.push(typeUrl, encoded, `v${version}`);
      }
    };
    const hosts: Host[] = [
      { port: first.port, priority: 0, health: 'HEALTHY' },
      { port: deadPort, priority: 0, health: 'HEALTHY' },
      { port: second.port, priority: 1, health: 'HEALTHY' },
    ];
    await serve(hosts);
    const client = await peer.start(prepared, {
      ...{ nodeId: chapter, servers: [server.target], serverFeatures: [], protocol: 'sotw', workDir },
      listenerPorts: {},
    });
    stops.unshift(() => client.stop());
    const xdscope = await startXdscope({
      vantage: 'csds',
      servers: [server.target],
      entrances: [server.target],
      workDir,
    });
    stops.unshift(() => xdscope.stop());
    await xdscope.observe(client.adminTarget);
    await xdscope.observe(client.adminTarget, 'channelz');
    const channelz = new PeerChannelz(client.adminTarget);
    stops.unshift(() => channelz.close());
    const read = async (): Promise<ConnectionsPage> => {
      const { items } = await xdscope.get<{ items: { id: string; nodeId: string; scope: string }[] }>(
        'clients',
      );
      const own = items.filter(({ nodeId }) => nodeId === chapter);
      const found = own.find(({ scope }) => scope.includes(target)) ?? own[0];
      if (found === undefined) throw new Error('expected a client, got none');
      return xdscope.get(`clients/${found.id}/connections`);
    };
    const rowOf = async (port: number): Promise<ConnectionRow> => {
      const row = (await read()).endpoints.items.find(({ address }) => address === `127.0.0.1:${port}`);
      if (row === undefined) throw new Error(`expected an endpoint with the port ${port}, got none`);
      return row;
    };
    /** Waits until both have the state, and returns how much later xdscope has it. */
    const lateness = async (port: number, state: ConnectivityState): Promise<number> => {
      const shown = waitUntil(`xdscope shows ${port} ${state}`, async () =>
        (await rowOf(port)).connection?.state === state ? Date.now() : undefined,
      );
      const reported = waitUntil(`the peer reports ${port} ${state}`, async () =>
        (await channelz.statesOf(`127.0.0.1:${port}`)).includes(state) ? Date.now() : undefined,
      );
      const [shownAt, reportedAt] = await Promise.all([shown, reported]);
      return shownAt - reportedAt;
    };
    const expectState = async (port: number, state: ConnectivityState): Promise<void> => {
      const lateMs = await lateness(port, state);
      print(
        `${title.padEnd(22)} ${moment.padEnd(24)} ${state.padEnd(18)} shown ${lateMs} ms after the peer has it`,
      );
      if (lateMs > mostLateMs)
        throw new Error(`expected at most ${mostLateMs} ms after the peer, got ${lateMs} ms`);
    };
    const run = async (name: string, steps: () => Promise<void>): Promise<void> => {
      moment = name;
      await steps();
      results.pass({ ...of, moment });
    };

    await waitUntil('xdscope reports the client', async () => (await read()).source !== null);
    await run('a dead endpoint', async () => {
      await expectState(first.port, 'READY');
      await expectState(deadPort, 'TRANSIENT_FAILURE');
      const row = await rowOf(deadPort);
      expectEqual('disagreement', row.disagreement, 'failing');
      // grpc-js and gRPC-Java report no errors of connections.
      const reports = peer.name === 'grpc-go' || peer.name === 'c-core';
      const text = row.connection?.lastError ?? '';
      expectEqual('a reported error', /connection refused/i.test(text), reports);
      expectEqual('the second priority', (await rowOf(second.port)).absence, 'priority-not-tried');
      expectEqual('management servers', (await read()).servers.length > 0, true);
    });
    await run('a failover', async () => {
      await first.stop();
      await expectState(second.port, 'READY');
      await expectState(first.port, 'TRANSIENT_FAILURE');
      expectEqual('disagreement', (await rowOf(first.port)).disagreement, 'failing');
    });
    await run('a return', async () => {
      await first.start();
      await expectState(first.port, 'READY');
    });
    await run('a drained endpoint', async () => {
      await serve(hosts.map((host) => (host.port === first.port ? { ...host, health: 'DRAINING' } : host)));
      await waitUntil(
        'xdscope shows the health',
        async () => (await rowOf(first.port)).health === 'DRAINING',
      );
      await expectState(second.port, 'READY');
      expectEqual('disagreement', (await rowOf(first.port)).disagreement, null);
    });
  } catch (error) {
    print(results.fail({ ...of, moment }, error));
  } finally {
    for (const stop of stops) await stop();
  }
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}

function meshOf(hosts: readonly Host[]): MeshResource[] {
  const priorities = [...new Set(hosts.map(({ priority }) => priority))];
  const endpoints = priorities.map((priority) => ({
    locality: { region: 'here', zone: `here-${priority}` },
    ...{ priority, loadBalancingWeight: 1 },
    lbEndpoints: hosts
      .filter((host) => host.priority === priority)
      .map(({ port: portValue, health: healthStatus }) => ({
        ...{ endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue } } }, healthStatus },
      })),
  }));
  const edsConfig = { ads: {}, resourceApiVersion: 'V3' };
  return [
    { typeUrl: LDS.typeUrl, name: target, body: { name: target, apiListener: { apiListener: manager } } },
    {
      typeUrl: CDS.typeUrl,
      name: cluster,
      body: { name: cluster, type: 'EDS', edsClusterConfig: { edsConfig } },
    },
    { typeUrl: EDS.typeUrl, name: cluster, body: { clusterName: cluster, endpoints } },
  ];
}
