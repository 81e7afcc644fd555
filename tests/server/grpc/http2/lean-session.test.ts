import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { noSecurity, openChannelSecurity } from '@/server/grpc/channel-security';
import { frame, frameFlags, frameTypes, uint32 } from '@/server/grpc/http2/frames';
import { openLeanSession } from '@/server/grpc/http2/open-lean-session';
import { Http2Connection } from '@/server/grpc/http2-connection';
import { targetOfPort } from '@/tests/support/grpc-peers';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { until } from '@/tests/support/xds-probe-story';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

function connect(port: number): ReturnType<Http2Connection['use']>['session'] {
  const security = openChannelSecurity(noSecurity, new ManualClock());
  const connection = new Http2Connection(targetOfPort(port), security, { openSession: openLeanSession });
  const { session, leave } = connection.use();
  closers.push(() => {
    leave();
    connection.close();
  });
  return session;
}

async function listen(settings: {
  initialWindowSize?: number;
}): Promise<{ server: Http2Server; port: number }> {
  const server = createServer({ settings });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/** A server that says its settings, and the rest when it was asked something; shows what it hears. */
async function listenRaw(answer: (socket: Socket) => void): Promise<{ port: number; heard: () => Buffer }> {
  const pieces: Buffer[] = [];
  const server = createTcpServer((socket) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    let isAsked = false;
    socket.on('data', (bytes) => {
      pieces.push(bytes);
      if (isAsked || !Buffer.concat(pieces).includes(':path')) return;
      isAsked = true;
      answer(socket);
    });
    socket.write(frame(frameTypes.settings, 0, 0, Buffer.alloc(0)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, heard: () => Buffer.concat(pieces) };
}

const post = { ':method': 'POST', ':path': '/a', ':scheme': 'http', ':authority': 'a' };

describe('LeanSession', () => {
  it('takes more than all windows, and says where each of two streams is', async () => {
    const { server, port } = await listen({});
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200, path: headers[':path'] });
      stream.end(Buffer.alloc(3_000_000, headers[':path']?.slice(1)));
    });
    const session = await connect(port);
    const answers = ['/a', '/b'].map(async (path) => {
      const stream = session.request({ ...post, ':path': path });
      let [sizeBytes, others] = [0, 0];
      stream.on('data', (bytes) => {
        sizeBytes += bytes.length;
        others += bytes.filter((byte) => byte !== path.charCodeAt(1)).length;
      });
      await new Promise<void>((resolve) => stream.on('end', resolve));
      return { sizeBytes, others };
    });
    expect(await Promise.all(answers)).toEqual([
      { sizeBytes: 3_000_000, others: 0 },
      { sizeBytes: 3_000_000, others: 0 },
    ]);
  });

  it('says no more than the server takes, until it takes more', async () => {
    const { server, port } = await listen({ initialWindowSize: 1_000 });
    let stream: ServerHttp2Stream | undefined;
    server.on('stream', (opened: ServerHttp2Stream) => {
      stream = opened.on('error', () => undefined);
    });
    const session = await connect(port);
    const call = session.request(post);
    call.on('data', () => undefined);
    const sent = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    call.write(sent);
    call.end();
    await until(() => expect(stream).toBeDefined());
    const received: Buffer[] = [];
    for await (const bytes of stream ?? []) received.push(bytes);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('holds back what comes while a stream is paused, and its end', async () => {
    const { server, port } = await listen({});
    let answering: ServerHttp2Stream | undefined;
    server.on('stream', (stream: ServerHttp2Stream) => {
      answering = stream;
      stream.respond({ ':status': 200 });
      stream.write('one');
    });
    const session = await connect(port);
    const stream = session.request(post);
    const heard: string[] = [];
    stream.on('data', (bytes) => {
      heard.push(bytes.toString());
      if (heard.length === 1) stream.pause();
    });
    stream.on('end', () => heard.push('end'));
    await until(() => expect(heard).toEqual(['one']));
    await new Promise<void>((resolve) => answering?.end('two', resolve));
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    expect(heard).toEqual(['one']);
    stream.resume();
    await until(() => expect(heard).toEqual(['one', 'two', 'end']));
  });

  it('reads headers in pieces, with padding and priority, and answers pings meanwhile', async () => {
    const { port, heard } = await listenRaw((socket) => {
      const status = Buffer.of(0x88);
      const field = Buffer.from('\0\u0001a\u0001b', 'latin1');
      const head = Buffer.concat([Buffer.of(2), uint32(0), Buffer.of(16), status, Buffer.alloc(2)]);
      socket.write(frame(frameTypes.ping, 0, 0, Buffer.from('are you?')));
      socket.write(frame(99, 0, 0, Buffer.from('nobody knows this type')));
      const { padded, priority } = frameFlags;
      socket.write(frame(frameTypes.headers, padded | priority, 1, head));
      socket.write(frame(frameTypes.continuation, frameFlags.endHeaders, 1, field));
    });
    const session = await connect(port);
    const stream = session.request(post);
    stream.on('data', () => undefined);
    const headers = await new Promise((resolve) => stream.on('response', resolve));
    expect(headers).toEqual({ ':status': 200, a: 'b' });
    const pong = frame(frameTypes.ping, frameFlags.ack, 0, Buffer.from('are you?'));
    await until(() => expect(heard().includes(pong)).toBe(true));
  });

  const ping = frame(frameTypes.ping, 0, 0, Buffer.from('12345678'));
  it.each([
    ['a promise that nobody wanted', frame(frameTypes.pushPromise, 4, 1, uint32(2))],
    ['headers that are not to be read', frame(frameTypes.headers, frameFlags.endHeaders, 1, Buffer.of(0xbe))],
    ['a frame between headers', Buffer.concat([frame(frameTypes.headers, 0, 1, Buffer.of(0x88)), ping])],
    ['a window above all bounds', frame(frameTypes.windowUpdate, 0, 0, uint32(2 ** 31 - 1))],
    ['a ping of seven octets', frame(frameTypes.ping, 0, 0, Buffer.alloc(7))],
  ])('ends the connection, and says why, over %s', async (_what, wrong) => {
    const { port, heard } = await listenRaw((socket) => socket.write(wrong));
    const session = await connect(port);
    const stream = session.request(post);
    const closed = new Promise<void>((resolve) => stream.on('close', resolve));
    await closed;
    expect(session.destroyed).toBe(true);
    await until(() => expect(heard().includes(Buffer.of(0, 0, 8, frameTypes.goaway))).toBe(true));
  });

  const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(bytes));
  const empty = Buffer.alloc(0);
  const openBlock = frame(frameTypes.headers, 0, 1, Buffer.of(0x88));
  // "accept-encoding: gzip, deflate" of the static table, one byte each.
  const fields = Buffer.concat([Buffer.of(0x88), Buffer.alloc(16_000, 0x80 | 16)]);
  const literals = times(9, Buffer.concat([Buffer.of(0, 1, 97, 127, 225, 124), Buffer.alloc(16_096, 97)]));
  const bigBlock = Buffer.concat([
    openBlock,
    ...Array.from({ length: 8 }, (_, index) =>
      frame(
        frameTypes.continuation,
        index === 7 ? frameFlags.endHeaders : 0,
        1,
        literals.subarray(index * 16_000, (index + 1) * 16_000),
      ),
    ),
  ]);
  const informational = frame(
    frameTypes.headers,
    frameFlags.endHeaders,
    1,
    Buffer.from('\x08\x03100', 'latin1'),
  );
  it.each([
    ['a header list of 1 MB in 16 kB', frame(frameTypes.headers, frameFlags.endHeaders, 1, fields)],
    ['a header block of 130 kB', bigBlock],
    ['empty CONTINUATION frames', Buffer.concat([openBlock, times(20, frame(9, 0, 1, empty))])],
    ['SETTINGS frames', times(2_000, frame(frameTypes.settings, 0, 0, empty))],
    ['PING frames', times(2_000, ping)],
    ['resets of streams', times(2_000, frame(frameTypes.rstStream, 0, 9, uint32(8)))],
    ['informational headers', times(2_000, informational)],
    ['empty DATA frames', times(2_000, frame(frameTypes.data, 0, 1, empty))],
    ['window updates', times(2_000, frame(frameTypes.windowUpdate, 0, 0, uint32(1)))],
    ['frames of an unknown type', times(2_000, frame(99, 0, 0, empty))],
  ])('ends a connection whose server floods it with %s', async (_what, flood) => {
    const { port, heard } = await listenRaw((socket) => socket.write(flood));
    const session = await connect(port);
    const stream = session.request(post);
    stream.on('data', () => undefined);
    await new Promise<void>((resolve) => stream.on('close', resolve));
    expect(session.destroyed).toBe(true);
    const goaway = Buffer.concat([Buffer.of(0, 0, 8, frameTypes.goaway), Buffer.alloc(9), uint32(11)]);
    await until(() => expect(heard().includes(goaway)).toBe(true));
  });

  it('keeps a connection whose server sends a PING with each of many DATA frames', async () => {
    const { port } = await listenRaw((socket) => {
      const data = frame(frameTypes.data, 0, 1, Buffer.alloc(100));
      socket.write(frame(frameTypes.headers, frameFlags.endHeaders, 1, Buffer.of(0x88)));
      socket.write(times(5_000, Buffer.concat([data, ping])));
      socket.write(frame(frameTypes.data, frameFlags.endStream, 1, empty));
    });
    const session = await connect(port);
    const stream = session.request(post);
    let sizeBytes = 0;
    stream.on('data', (bytes) => {
      sizeBytes += bytes.length;
    });
    await new Promise<void>((resolve) => stream.on('end', resolve));
    expect(sizeBytes).toBe(500_000);
  });
});
