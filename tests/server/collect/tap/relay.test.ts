import http2, { constants, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { waitUntil } from '@/tests/support/wait-until';

interface Upstream {
  readonly target: string;
  readonly sockets: Set<Socket>;
  readonly sessions: http2.ServerHttp2Session[];
}

async function startUpstream(
  onStream: (stream: ServerHttp2Stream, raw: readonly string[]) => void,
  settings: http2.Settings = {},
): Promise<Upstream> {
  const server = http2.createServer({ settings });
  const sockets = new Set<Socket>();
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream: ServerHttp2Stream, _headers: object, _flags: number, raw: string[]) => {
    stream.on('error', () => {});
    onStream(stream, raw);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { target: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, sessions };
}

async function relayTo(target: string, options = {}): Promise<RelayUnderTest> {
  const relay = await startRelay(target, options);
  onTestFinished(() => relay.listener.close());
  return relay;
}

function connect(address: string): http2.ClientHttp2Session {
  const session = http2.connect(`http://${address}`);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

describe('a relayed call', () => {
  it('relays headers, bytes, half-close and trailers', async () => {
    let seen: readonly string[] = [];
    const upstream = await startUpstream((stream, raw) => {
      seen = raw;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'x-two': ['1', '2'] }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '5', 'grpc-message': 'n%20o' }));
        stream.end(Buffer.concat(chunks));
      });
    });
    const relay = await relayTo(upstream.target);
    const call = connect(relay.address).request({
      ':method': 'POST',
      ':path': path,
      'x-bin': ['AA==', 'AQ=='],
    });
    const got: unknown[] = [];
    call.on('response', (headers) => got.push(headers[':status'], headers['x-two']));
    call.on('data', (chunk: Buffer) => got.push(chunk.toString()));
    call.on('trailers', (trailers) => got.push(trailers['grpc-status'], trailers['grpc-message']));
    call.write('a');
    call.end('b');
    await waitUntil('the call is over', () => call.destroyed);
    expect(got).toEqual([200, '1, 2', 'ab', '5', 'n%20o']);
    expect(seen.join(' ')).toContain('x-bin AA== x-bin AQ==');
    expect(call.rstCode).toBe(0);
  });

  it('relays a response that ends before the request, with its reset', async () => {
    const upstream = await startUpstream((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '3' });
        setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
      });
      stream.end('x');
    });
    const relay = await relayTo(upstream.target);
    const call = connect(relay.address).request({ ':method': 'POST', ':path': path });
    let trailers: http2.IncomingHttpHeaders = {};
    call.on('trailers', (headers) => {
      trailers = headers;
    });
    call.on('error', () => {});
    call.resume();
    await waitUntil('the call is over', () => call.destroyed);
    expect(trailers['grpc-status']).toBe('3');
    expect(call.rstCode).toBe(0);
  });

  it('relays resets of both sides with their codes', async () => {
    const codes: number[] = [];
    const upstream = await startUpstream((stream) => {
      stream.on('close', () => codes.push(stream.rstCode ?? -1));
      stream.on('data', () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM));
      stream.respond({ ':status': 200 });
    });
    const relay = await relayTo(upstream.target);
    const session = connect(relay.address);
    const byServer = session.request({ ':method': 'POST', ':path': path });
    byServer.on('error', () => {});
    byServer.write('x');
    await waitUntil('the call is over', () => byServer.destroyed);
    expect(byServer.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    const byClient = session.request({ ':method': 'POST', ':path': path });
    byClient.on('error', () => {});
    byClient.once('response', () => byClient.close(constants.NGHTTP2_CANCEL));
    await waitUntil('both calls are over', () => codes.length === 2);
    expect(codes).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM, constants.NGHTTP2_CANCEL]);
  });

  it('closes the connection without GOAWAY or resets when the server is killed', async () => {
    const upstream = await startUpstream((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun');
    });
    const relay = await relayTo(upstream.target);
    const session = connect(relay.address);
    let goaways = 0;
    session.on('goaway', () => goaways++);
    const call = session.request({ ':method': 'POST', ':path': path });
    call.on('error', () => {});
    const got: string[] = [];
    call.on('data', (chunk: Buffer) => got.push(chunk.toString()));
    await waitUntil('the answer begins', () => got.length === 1);
    for (const socket of upstream.sockets) socket.resetAndDestroy();
    await waitUntil('the connection is over', () => session.destroyed);
    expect(goaways).toBe(0);
    const closed = relay.batches.flatMap(({ events }) => events).find(({ kind }) => kind === 'closed');
    expect(closed).toMatchObject({ code: 'UNAVAILABLE', details: 'the server closed the connection' });
  });

  it('closes the connection of a client whose server cannot be reached', async () => {
    const relay = await relayTo('127.0.0.1:1');
    const session = connect(relay.address);
    await waitUntil('the connection is over', () => session.destroyed);
    await waitUntil('it is reported', () => relay.news().upstreamProblem !== null);
    expect(relay.news().upstreamProblem).toMatchObject({ code: 'CONNECTION_REFUSED' });
  });

  it('relays GOAWAY with its code and debug data', async () => {
    const upstream = await startUpstream((stream) => stream.respond({ ':status': 200 }));
    const relay = await relayTo(upstream.target);
    const session = connect(relay.address);
    const got: unknown[] = [];
    session.on('goaway', (code, _id, data) => got.push(code, data?.toString()));
    const call = session.request({ ':method': 'POST', ':path': path });
    call.on('error', () => {});
    await new Promise((resolve) => call.on('response', resolve));
    upstream.sessions[0]?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    await waitUntil('GOAWAY', () => got.length > 0);
    expect(got).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM, 'too_many_pings']);
  });

  it('relays the settings of the server to the client', async () => {
    const upstream = await startUpstream(() => {}, { maxConcurrentStreams: 7 });
    const relay = await relayTo(upstream.target);
    const session = connect(relay.address);
    const settings = await new Promise<http2.Settings>((resolve) => session.on('remoteSettings', resolve));
    expect(settings.maxConcurrentStreams).toBe(7);
  });
});
