import { type AddressInfo, connect, createServer } from 'node:net';
import {
  Client,
  credentials,
  getChannelzHandlers,
  getChannelzServiceDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyConnectionChanges, type Connection } from '@/lib/observation/connection';
import type { ConnectionsChanged } from '@/lib/observation/observation';
import { unpackFigures } from '@/lib/observation/packed-figures';
import { identifyClient } from '@/server/client-id';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { methodOf } from '@/server/codec/service';
import { KnownServers } from '@/server/collect/channelz/management-servers';
import { ChannelzPoller } from '@/server/collect/channelz/poll';
import { type Emission, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { clientWithClusters, csdsAnswer } from '@/tests/support/csds-server';
import { waitUntil } from '@/tests/support/wait-until';

const asBytes = (bytes: Buffer): Buffer => bytes;
const echo = { path: '/peers.Echo/Ping', requestStream: false, responseStream: false } as const;
const serialisers = {
  ...{ requestSerialize: asBytes, requestDeserialize: asBytes },
  ...{ responseSerialize: asBytes, responseDeserialize: asBytes },
};

async function listen(server: Server, port = 0): Promise<number> {
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return bound;
}

/** A backend that answers, or fails every call. */
function backend(): Server {
  const server = new Server();
  const ping = (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void =>
    answer(null, call.request);
  server.addService({ ping: { ...echo, ...serialisers } }, { ping });
  return server;
}

/** The process of the test serves its own channelz, and a CSDS with one client. */
async function serveAdmin(withCsds = true): Promise<string> {
  const server = new Server();
  server.addService(getChannelzServiceDefinition(), { ...getChannelzHandlers() });
  const fetch = methodOf('envoy.service.status.v3.ClientStatusDiscoveryService', 'FetchClientStatus');
  const answer = csdsAnswer({ config: [clientWithClusters('node-1', {})] });
  if (withCsds)
    server.addService(
      { fetch },
      { fetch: (_: unknown, reply: sendUnaryData<Buffer>) => reply(null, answer) },
    );
  return `127.0.0.1:${await listen(server)}`;
}

function poll(target: string, servers = new KnownServers()) {
  const emissions: Emission[] = [];
  const statuses: SourceStatus[] = [];
  const poller = new ChannelzPoller({
    ...{ sourceId: `channelz:${target}`, target, isNamed: true, intervalMs: 40, clock: systemClock },
    ...{ random: () => 0.5, marker: createRedactionMarker(Buffer.from('tests')), servers },
    observe: (emission) => emissions.push(emission),
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(() => poller.close());
  poller.start();
  const changes = () =>
    emissions.flatMap(({ observation }): ConnectionsChanged[] =>
      observation.kind === 'connections-changed' ? [observation] : [],
    );
  const now = () => changes().reduce(applyConnectionChanges, [] as readonly Connection[]);
  const findSubchannel = (address: string) =>
    now().find(({ kind, target: each }) => kind === 'subchannel' && each === address);
  return { emissions, changes, now, findSubchannel, statuses, poller };
}

function call(client: Client): Promise<string> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(echo.path, asBytes, asBytes, Buffer.from('x'), (error) =>
      resolve(error === null ? 'ok' : 'error'),
    );
  });
}

describe('channelz of a grpc-js process', () => {
  it('knows which of several channels leads to a management server that xdscope knows', async () => {
    const port = await listen(new Server());
    const [known, other] = [`localhost:${port}`, '127.0.0.1:1'].map((address) => {
      const client = new Client(address, credentials.createInsecure());
      onTestFinished(() => client.close());
      return client;
    });
    for (const client of [known, other]) await call(client ?? expect.fail('expected a client'));
    const servers = new KnownServers();
    const source = poll(await serveAdmin(), servers);
    const marks = () =>
      source
        .now()
        .filter(
          ({ kind, failingSince, isManagementServer }) =>
            kind === 'channel' && (failingSince || isManagementServer),
        )
        .map(({ target, isManagementServer, mayBeManagementServer }) => [
          target.replace(/^dns:/, ''),
          isManagementServer ?? false,
          mayBeManagementServer ?? false,
        ]);
    await waitUntil('a channel that fails may be it', () => marks().length === 1);
    expect(marks()).toEqual([['127.0.0.1:1', false, true]]);
    servers.setNamed([`127.0.0.1:${port}`]);
    await waitUntil('the channel is known', () => marks().length === 2);
    expect(marks().sort()).toEqual([
      ['127.0.0.1:1', false, false],
      [`localhost:${port}`, true, false],
    ]);
  });

  it('reports an endpoint that becomes READY and then fails: each state once, with the time of the process', async () => {
    const server = backend();
    const port = await listen(server);
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    expect(await call(client)).toBe('ok');
    const source = poll(await serveAdmin());
    const address = `127.0.0.1:${port}`;
    const ready = await waitUntil('READY', () => source.findSubchannel(address));
    expect(ready).toMatchObject({
      state: 'READY',
      figures: { callsStarted: 1, callsSucceeded: 1, callsFailed: 0 },
    });
    expect(ready.isSinceFirstPoll).toBeUndefined();
    expect(ready.localAddresses).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
    expect(source.changes()[0]).toMatchObject({
      clientId: identifyClient({ id: 'node-1', metadata: {} }, ''),
      isComplete: true,
      node: { id: 'node-1' },
    });

    server.forceShutdown();
    // pick_first of grpc-js drops a subchannel whose connection ended, and creates another one for the next call.
    await waitUntil('ended', () => (source.findSubchannel(address) === undefined ? true : undefined));
    expect(await call(client)).toBe('error');
    const failing = await waitUntil('failing', () => {
      const found = source.findSubchannel(address);
      return found?.state === 'TRANSIENT_FAILURE' ? found : undefined;
    });
    expect(failing.failingSince).toBe(failing.since);
    expect(failing.isSinceFirstPoll).toBeUndefined();
    // It goes on to connect, which is no other state.
    const observed = source.emissions.length;
    await waitUntil(
      'further polls',
      () => (source.poller.status.cost?.polls ?? 0) > observed + 40 || undefined,
    );
    const states = source
      .changes()
      .flatMap(({ connections }) =>
        connections.filter(({ target, kind }) => kind === 'subchannel' && target === address),
      )
      .map(({ state }) => state);
    const settled = states.filter((state) => state !== 'CONNECTING' && state !== 'IDLE');
    // A poll between the end of the socket and that of its subchannel reports READY without a local address.
    expect(settled.filter((state, at) => state !== settled[at - 1])).toEqual(['READY', 'TRANSIENT_FAILURE']);
  });

  it('adds nothing to the log while states stay the same, and counts calls in its status', async () => {
    const port = await listen(backend());
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    await call(client);
    const source = poll(await serveAdmin());
    const { id } = await waitUntil('READY', () => source.findSubchannel(`127.0.0.1:${port}`));
    const observed = source.emissions.length;
    for (let calls = 0; calls < 5; calls++) await call(client);
    const figures = await waitUntil('counted', () => {
      const { figures: packed } = source.poller.status;
      const found = packed && unpackFigures(packed).get(id);
      return found?.callsStarted === 6 ? found : undefined;
    });
    expect(figures.callsPerSecond).toBeGreaterThan(0);
    expect(source.emissions.length).toBe(observed);
    const { polls = 0, requests = 0 } = source.poller.status.cost ?? {};
    expect(requests / polls).toBeGreaterThan(3);
  });

  it('makes one connection for all its polls', async () => {
    const target = await serveAdmin();
    let connections = 0;
    const relay = createServer((socket) => {
      connections += 1;
      const server = connect(Number(target.split(':')[1]), '127.0.0.1');
      socket.pipe(server).pipe(socket);
      onTestFinished(() => void socket.destroy());
    });
    onTestFinished(() => void relay.close());
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const { poller } = poll(`127.0.0.1:${(relay.address() as AddressInfo).port}`);
    await waitUntil('ten polls', () => (poller.status.cost?.polls ?? 0) > 10 || undefined);
    expect(connections).toBe(1);
  });

  it('states that it cannot assign channels to a client if the process does not serve CSDS', async () => {
    const source = poll(await serveAdmin(false));
    const { status } = await waitUntil('up', () =>
      source.poller.status.state === 'up' ? source.poller : undefined,
    );
    expect(status.notes).toEqual([expect.stringMatching('does not serve CSDS on this port')]);
    expect(source.changes()).toEqual([]);
  });

  it('is down with a reason if a server does not serve channelz', async () => {
    const port = await listen(backend());
    const source = poll(`127.0.0.1:${port}`);
    const status = await waitUntil('down', () => source.statuses.find(({ state }) => state === 'down'));
    expect(status.problem).toMatchObject({ code: 'UNIMPLEMENTED' });
  });
});
