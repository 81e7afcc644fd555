import { Server, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { InteropPoller } from '@/server/collect/interop/poll';
import { addTestServices } from '@/server/lab/backends/test-services';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { bothClients, launchReal } from '@/tests/support/both-clients';
import { listenerName } from '@/tests/support/builders/two-cluster-mesh';
import { freePort } from '@/tests/support/free-port';
import { patienceMs } from '@/tests/support/patience';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const soon = { timeout: patienceMs(60_000), interval: 50 };

/** A listener whose RPCs all go to one endpoint. */
function meshOf(port: number): Resource[] {
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    routeConfig: {
      virtualHosts: [{ domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'a' } }] }],
    },
    httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
  };
  const cluster = {
    ...{ name: 'a', type: 'EDS', lbPolicy: 'ROUND_ROBIN' },
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' } },
  };
  const endpoint = { address: { socketAddress: { address: '127.0.0.1', portValue: port } } };
  const locality = { region: 'here', zone: 'here-a' };
  const assignment = {
    clusterName: 'a',
    endpoints: [{ locality, loadBalancingWeight: 1, lbEndpoints: [{ endpoint }] }],
  };
  const encoded = (typeUrl: string, name: string, json: object) => ({
    ...{ typeUrl, name },
    bytes: encodeBody(typeUrl, json),
  });
  return [
    encoded(LDS.typeUrl, listenerName, { name: listenerName, apiListener: { apiListener: manager } }),
    encoded(CDS.typeUrl, 'a', cluster),
    encoded(EDS.typeUrl, 'a', assignment),
  ];
}

async function startBackend(): Promise<number> {
  const backend = new Server();
  addTestServices(backend, { name: 'b1', clock: systemClock, onServing: () => undefined });
  onTestFinished(() => backend.forceShutdown());
  return new Promise((resolve, reject) => {
    backend.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

describe.each(bothClients)('the client of the lab on $title', (kind) => {
  it.skipIf(kind.isAbsent)(
    'is a test client: it is configured, and counts RPCs by status and by server',
    async () => {
      const managementServer = new ManagementServer({ clock: systemClock });
      onTestFinished(() => managementServer.close());
      managementServer.setResources('*', meshOf(await startBackend()));
      const adminPort = await freePort();
      const child = launchReal(kind, await managementServer.listen(), adminPort);
      onTestFinished(() => void child.kill('SIGKILL'));

      const world: World = new Map();
      const statuses: SourceStatus[] = [];
      let seq = 0;
      const poller = new InteropPoller({
        ...{ sourceId: 'interop:test', target: `127.0.0.1:${adminPort}`, isNamed: true, intervalMs: 100 },
        ...{ clock: systemClock, random: () => 0.5, marker: createRedactionMarker(Buffer.from('tests')) },
        observe: ({ observation }) => void foldObservation(world, { ...observation, seq: ++seq }),
        onStatus: (status) => statuses.push(status),
      });
      onTestFinished(() => poller.close());
      poller.start();
      const find = () => [...world.values()].flatMap(({ reports }) => [...reports.values()])[0]?.testClient;
      const codesOf = (method: string) =>
        find()
          ?.counts?.methods.find((each) => each.method === method)
          ?.ended.map(({ code }) => code);

      // The backend does not implement the RPCs that the client makes all the time.
      await expect.poll(() => codesOf('story.Good/Call'), soon).toEqual([12]);
      expect([...world.values()].map(({ node }) => node.id)).toEqual([kind.name]);
      expect(statuses.at(-1)).toMatchObject({ state: 'up' });

      await poller.configure({ types: ['UNARY_CALL'], metadata: [] });
      await expect.poll(() => codesOf('UNARY_CALL'), soon).toEqual([0]);
      const block = await poller.countBlock({ rpcs: 30, timeoutMs: 20_000 });
      // Its other RPCs fail.
      expect(block.peers).toEqual([{ peer: 'b1', count: 30 - block.failed }]);
      expect(block.methods).toEqual([{ method: 'UnaryCall', peers: block.peers }]);

      const metadata = [{ type: 'EMPTY_CALL', key: 'rpc-behavior', value: 'error-code-15' }] as const;
      await poller.configure({ types: ['EMPTY_CALL'], metadata, timeoutMs: 5_000 });
      await expect.poll(() => codesOf('EMPTY_CALL'), soon).toEqual([15]);
      const failing = await poller.countBlock({ rpcs: 10, timeoutMs: 20_000 });
      expect(failing).toMatchObject({ failed: 10, peers: [] });

      await expect(poller.countBlock({ rpcs: 0, timeoutMs: 1_000 })).rejects.toMatchObject({
        details: 'num_rpcs: expected 1 to 100000, got 0',
      });
    },
  );
});
