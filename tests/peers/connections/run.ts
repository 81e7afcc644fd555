import type { ReportedState } from '@/lib/observation/connection-states';
import { servesAnyAddress } from '@/lib/views/connections/join-listeners';
import type { ConnectionRow, ConnectionsPage, ListenerRow } from '@/lib/views/connections/schema';
import type { Health } from '@/lib/views/health/schema';
import type { SourcePage } from '@/lib/views/sources/schema';
import { serverScope } from '@/lib/xds/client-scope';
import type { State } from '@/lib/xds/status';
import { freePort } from '../../support/free-port';
import { patienceMs } from '../../support/patience';
import { waitUntil } from '../../support/wait-until';
import { serverListenerOf } from '../grpc-client';
import { runScripted, type ScriptedRunOptions } from '../scripted-run';
import { type Connected, connectTo } from './connect-to';
import { type EchoBackend, startEchoBackend } from './echo-backend';
import { type Host, type MeshOptions, meshOf, target } from './mesh';
import { PeerChannelz } from './peer-channelz';
import { PeerHosts } from './peer-hosts';

export const chapter = 'connections';

/** The longest time between a state of the peer and the same state in xdscope. */
const mostLateMs = 2_000;
/** Attempts to connect to the dead endpoint go on. */
const quietMs = 10_000;
/**
 * A client with a priority of a live and a dead endpoint, and a second priority. Compares the states that xdscope shows with
 * those of the client's channelz, or of Envoy's admin interface, and measures how late they are.
 */
export async function runConnections(options: ScriptedRunOptions): Promise<void> {
  const { peer, prepared, print } = options;
  await runScripted(chapter, options, async (scripted) => {
    const { title, isEnvoy, run } = scripted;
    const first = await startEchoBackend();
    const second = await startEchoBackend();
    scripted.stopAtEnd(first.stop);
    scripted.stopAtEnd(second.stop);
    const deadPort = await freePort();
    // gRPC-Java 1.60.1 goes on to send failing requests to the endpoint in some runs.
    const ejectsReliably = !title.startsWith('grpc-java 1.60');
    const listenerPort = await freePort();
    const serve = (served: readonly Host[], more: Partial<Pick<MeshOptions, 'ejects' | 'server'>> = {}) =>
      scripted.serve(meshOf({ flavor: peer.flavor, listenerPort, hosts: served, ejects: false, ...more }));
    const hosts: Host[] = [
      { port: first.port, priority: 0, health: 'HEALTHY' },
      { port: deadPort, priority: 0, health: 'HEALTHY' },
      { port: second.port, priority: 1, health: 'HEALTHY' },
    ];
    await serve(hosts);
    const client = await scripted.startClient({ listenerPorts: isEnvoy ? { [target]: listenerPort } : {} });
    const xdscope = await scripted.startXdscope();
    await xdscope.observe(client.adminTarget);
    if (!isEnvoy) await xdscope.observe(client.adminTarget, 'channelz');
    const reporter = isEnvoy ? new PeerHosts(client.adminTarget) : new PeerChannelz(client.adminTarget);
    scripted.stopAtEnd(() => reporter.close());
    const read = async (scope = target): Promise<ConnectionsPage> => {
      const { items } = await xdscope.get<{ items: { id: string; nodeId: string; scope: string }[] }>(
        'clients',
      );
      const own = items.filter(({ nodeId }) => nodeId === chapter);
      const found = own.find((each) => each.scope.includes(scope)) ?? own[0];
      if (found === undefined) throw new Error('expected a client, got none');
      return xdscope.get(`clients/${found.id}/connections`);
    };
    const rowOf = async (port: number): Promise<ConnectionRow> => {
      const row = (await read()).endpoints.items.find(({ address }) => address === `127.0.0.1:${port}`);
      if (row === undefined) throw new Error(`expected an endpoint with the port ${port}, got none`);
      return row;
    };
    /** Waits until both have the state, and returns the row with it. A gRPC client that connects again leaves the state. */
    const expectState = async (port: number, state: ReportedState): Promise<ConnectionRow> => {
      const shown = waitUntil(`xdscope shows ${port} ${state}`, async () => {
        const row = await rowOf(port);
        return row.connection?.state === state ? { row, at: Date.now() } : undefined;
      });
      const reported = waitUntil(`the peer reports ${port} ${state}`, async () =>
        (await reporter.statesOf(`127.0.0.1:${port}`)).includes(state) ? Date.now() : undefined,
      );
      const [{ row, at }, reportedAt] = await Promise.all([shown, reported]);
      await printLateness(state, at - reportedAt);
      return row;
    };
    const printLateness = async (state: string, lateMs: number): Promise<void> => {
      print(
        `${title.padEnd(22)} ${scripted.moment.padEnd(24)} ${state.padEnd(18)} shown ${lateMs} ms after the peer has it`,
      );
      const most = patienceMs(mostLateMs);
      if (lateMs <= most) return;
      // A peer that answers slowly is polled less often.
      const { items } = await xdscope.get<SourcePage>('sources');
      const costs = items.map(({ id, cost }) => `${id}: ${JSON.stringify(cost)}`).join('\n');
      throw new Error(`expected at most ${most} ms after the peer, got ${lateMs} ms\n${costs}`);
    };
    const receivesNothing = async (backend: EchoBackend): Promise<void> => {
      let [before, since] = [-1, 0];
      await waitUntil(`${backend.port} receives no request for a second`, () => {
        if (backend.received() !== before) [before, since] = [backend.received(), Date.now()];
        return Date.now() - since > 1_000;
      });
    };
    const receives = async (backend: EchoBackend): Promise<void> => {
      const before = backend.answered();
      await waitUntil(`${backend.port} answers a request`, () => backend.answered() > before);
    };

    // The peer and xdscope start until this state is reached.
    await waitUntil(
      'xdscope reports the connections',
      async () => (await rowOf(first.port)).connection !== undefined,
    );
    const up = isEnvoy ? 'HEALTHY' : 'READY';
    await run('a dead endpoint', async () => {
      await expectState(first.port, up);
      const row = await expectState(deadPort, isEnvoy ? 'CONNECT_FAILURE' : 'TRANSIENT_FAILURE');
      expectEqual('disagreement', row.disagreement, 'failing');
      // grpc-js, gRPC-Java and Envoy report no errors of connections.
      const reports = peer.name === 'grpc-go' || peer.name === 'c-core';
      const text = row.connection?.lastError ?? '';
      expectEqual('a reported error', /connection refused/i.test(text), reports);
      const { absence } = await rowOf(second.port);
      expectEqual('the second priority', absence, isEnvoy ? undefined : 'priority-not-tried');
      expectEqual('management servers', (await read()).servers.length > 0, true);
    });
    await run('nothing but calls', async () => {
      const newestSeq = async () => (await xdscope.get<Health>('health')).recorder.newestSeq;
      const [callsBefore, seqBefore] = [first.answered(), await newestSeq()];
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      expectEqual('calls', first.answered() > callsBefore, true);
      expectEqual('observations', (await newestSeq()) - seqBefore, 0);
    });
    // Envoy uses another priority only for hosts that it excludes.
    if (isEnvoy) await serve(hosts, { ejects: true });
    const failed = isEnvoy ? 'EJECTED' : 'TRANSIENT_FAILURE';
    await run('a failover', async () => {
      await first.stop();
      await receives(second);
      await expectState(second.port, up);
      expectEqual('disagreement', (await expectState(first.port, failed)).disagreement, 'failing');
    });
    await run('a return', async () => {
      await first.start();
      await receives(first);
      await expectState(first.port, up);
    });
    await run('an ejected endpoint', async () => {
      await serve(hosts, { ejects: true });
      first.setFailing(true);
      await waitUntil('requests fail', () => first.received() > first.answered());
      if (ejectsReliably) {
        await receives(second);
        await receivesNothing(first);
      } else {
        const failedBefore = (await rowOf(first.port)).connection?.figures?.callsFailed ?? 0;
        await waitUntil('xdscope shows failed calls', async () => {
          return ((await rowOf(first.port)).connection?.figures?.callsFailed ?? 0) > failedBefore;
        });
      }
      // The subchannel of an ejected endpoint stays READY; gRPC-Go also adds an event to the trace of the channel.
      const isReported = isEnvoy || peer.name === 'grpc-go';
      if (isReported) {
        const row = await waitUntil('xdscope shows the ejection', async () => {
          const row = await rowOf(first.port);
          return row.connection?.state === 'EJECTED' && row;
        });
        expectEqual('disagreement', row.disagreement, 'failing');
      } else {
        expectEqual('disagreement', (await expectState(first.port, 'READY')).disagreement, undefined);
      }
      await waitUntil('xdscope shows outlier detection', async () => (await read()).hasOutlierDetection);
      first.setFailing(false);
      // Without outlier detection, nothing is ejected any longer. gRPC-Java 1.60.1 sends nothing to the endpoint even so.
      if (title.startsWith('grpc-java 1.60')) return;
      await serve(hosts);
      await receives(first);
      await expectState(first.port, up);
    });
    await run('a drained endpoint', async () => {
      const drained = hosts.map((host) =>
        host.port === first.port ? { ...host, health: 'DRAINING' } : host,
      );
      await serve(drained, { ejects: isEnvoy });
      await waitUntil(
        'xdscope shows the health',
        async () => (await rowOf(first.port)).health === 'DRAINING',
      );
      await receives(second);
      await expectState(second.port, up);
      if (isEnvoy) await expectState(first.port, 'DRAINING');
      expectEqual('disagreement', (await rowOf(first.port)).disagreement, undefined);
    });
    if (!isEnvoy) await runServer();

    /** A server that has ACKED a Listener of another address, then serves, and then has no Listener. */
    async function runServer(): Promise<void> {
      const port = await freePort();
      const listening = `${peer.name === 'grpc-java' ? '0.0.0.0' : '127.0.0.1'}:${port}`;
      const isShown = (status: ListenerRow['status'], state: State): Promise<true> =>
        waitUntil(`xdscope shows the listener ${state} and ${status}`, async () => {
          const { listeners } = await read(serverScope);
          const own = listeners.find(({ name }) => name === serverListenerOf(listening));
          return own?.status === status && own.state === state;
        });
      const shows = async (status: ListenerRow['status'], state: State): Promise<void> => {
        const since = Date.now();
        await isShown(status, state);
        await printLateness(status, Date.now() - since);
      };
      const accepts = (): Promise<Connected> =>
        waitUntil('the server accepts connections', () => connectTo(port));
      const rejects = (): Promise<true> =>
        waitUntil('the server rejects connections', async () =>
          (await connectTo(port)) === undefined ? true : undefined,
        );
      const userAgentName = peer.name === 'grpc-java' ? 'gRPC Java' : '';
      const servesAny = servesAnyAddress({ userAgentName, userAgentVersion: prepared.version });
      await run('ACKED, but not serving', async () => {
        await serve(hosts, { server: { listening, address: `192.0.2.1:${port}` } });
        client.serve?.(listening);
        if (servesAny) {
          const connected = await accepts();
          await shows('serving', 'ACKED');
          connected.close();
          return;
        }
        await isShown('not-serving', 'ACKED');
        await rejects();
      });
      await run('a server that serves', async () => {
        await serve(hosts, { server: { listening, address: listening } });
        const connected = await accepts();
        await shows('serving', 'ACKED');
        connected.close();
        await shows('listening', 'ACKED');
      });
      await run('a server without a Listener', async () => {
        await serve(hosts);
        await rejects();
        await shows('not-serving', 'DOES_NOT_EXIST');
      });
    }
  });
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}
