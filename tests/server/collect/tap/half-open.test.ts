import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { methodOf } from '@/server/codec/service';
import { startFreezingProxy } from '@/tests/support/freezing-proxy';
import { startRelay } from '@/tests/support/relay-story';
import { waitUntil } from '@/tests/support/wait-until';

const method = methodOf('envoy.service.discovery.v3.AggregatedDiscoveryService', 'StreamAggregatedResources');
const keepalive = {
  'grpc.keepalive_time_ms': 300,
  'grpc.keepalive_timeout_ms': 300,
  'grpc.keepalive_permit_without_calls': 1,
};
const never = {};

/** Starts an echo server. `onGone` is called when the server considers a client disconnected. */
async function serveEcho(options: object, onGone: () => void = () => {}): Promise<string> {
  const server = new Server(options);
  server.addService(
    { stream: method },
    {
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        call.on('error', () => {});
        call.on('cancelled', onGone);
        call.on('data', (bytes: Buffer) => call.write(bytes));
        call.on('end', () => call.end());
      },
    },
  );
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
    );
  });
}

interface OpenCall {
  isAnswered(): boolean;
  /** Undefined while the call is open. */
  ended(): StatusObject | undefined;
}

function call(target: string, options: object): OpenCall {
  const client = new Client(target, credentials.createInsecure(), {
    ...options,
    'grpc.use_local_subchannel_pool': 1,
  });
  onTestFinished(() => client.close());
  const { path, requestSerialize, responseDeserialize } = method;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  let isAnswered = false;
  let ended: StatusObject | undefined;
  stream.on('data', () => {
    isAnswered = true;
  });
  stream.on('error', () => {});
  stream.on('status', (status) => {
    ended = status;
  });
  stream.write(Buffer.from('0a00', 'hex'));
  return { isAnswered: () => isAnswered, ended: () => ended };
}

/** client - proxy - tap - proxy - server. Each proxy can stop forwarding without closing its connections. */
async function startStory(options: { readonly client: object; readonly server: object }) {
  let goneAtServer = 0;
  const toServer = await startFreezingProxy(await serveEcho(options.server, () => goneAtServer++));
  const relay = await startRelay(toServer.target, { pingTimeoutMs: 300 });
  const toTap = await startFreezingProxy(relay.address);
  onTestFinished(() => toServer.close());
  onTestFinished(() => relay.listener.close());
  onTestFinished(() => toTap.close());
  const open = call(toTap.target, options.client);
  await waitUntil('the call is answered', open.isAnswered);
  const closed = () => relay.batches.flatMap(({ events }) => events).find(({ kind }) => kind === 'closed');
  return { relay, toServer, toTap, open, closed, goneAtServer: () => goneAtServer };
}

describe('a half-open connection through a tap', () => {
  it('is closed for a client with keepalive if the server does not answer, and the end is recorded', async () => {
    const story = await startStory({ client: keepalive, server: never });
    story.toServer.freeze();
    await waitUntil('the client knows', () => story.open.ended() !== undefined);
    expect(story.open.ended()).toMatchObject({ code: 14 });
    await waitUntil('the end is copied', story.closed);
    expect(story.closed()).toMatchObject({
      code: 'UNAVAILABLE',
      details: 'the server answered no PING within 0.3 s',
    });
    await waitUntil('the tap has let go', () => story.relay.news().connections === 0);
  });

  it('is closed for a server with keepalive if the client does not answer, and the end is recorded', async () => {
    const story = await startStory({ client: never, server: keepalive });
    story.toTap.freeze();
    await waitUntil('the server knows', () => story.goneAtServer() > 0);
    await waitUntil('the end is copied', story.closed);
    expect(story.closed()).toMatchObject({
      code: expect.stringMatching(/^(CANCELLED|UNAVAILABLE)$/),
      details: expect.stringMatching(/client answered no PING|the server closed the connection/),
    });
    await waitUntil('the tap has let go', () => story.relay.news().connections === 0);
  });
});
