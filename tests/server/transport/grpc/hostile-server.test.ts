import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { CallStatus } from '@/server/transport/grpc/call-status';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import { GrpcCall } from '@/server/transport/grpc/grpc-call';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { frame, frameFlags, frameTypes, uint32 } from '@/tests/support/builders/http2-frames';
import { targetOfPort } from '@/tests/support/grpc-peers';
import { preface } from '@/tests/support/hostile-http2-peer';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

/** True if the bytes that a client sent contain a HEADERS frame, which begins a request. */
function hasRequest(received: Buffer): boolean {
  for (let at = preface.length; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
    if (received[at + 3] === frameTypes.headers) return true;
  return false;
}

/** A server that answers the first request with these bytes. */
async function listen(answer: Buffer): Promise<number> {
  const server = createServer((socket: Socket) => {
    const pieces: Buffer[] = [];
    let isAnswered = false;
    onTestFinished(() => void socket.destroy());
    // The client may reset the connection while the flood is being written.
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      pieces.push(bytes);
      if (isAnswered || !hasRequest(Buffer.concat(pieces))) return;
      isAnswered = true;
      socket.write(answer);
    });
    socket.write(frame(frameTypes.settings, 0, 0, empty));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function call(port: number): Promise<{ status: CallStatus; sizeBytes: number }> {
  const security = openChannelSecurity(noSecurity, new ManualClock());
  const connection = new Http2Connection(targetOfPort(port), security);
  onTestFinished(() => connection.close());
  let sizeBytes = 0;
  const status = await new Promise<CallStatus>((resolve) => {
    const opened = new GrpcCall(
      { connection, security, path: '/test.Echo/Say', maxMessageBytes: 1_000_000 },
      {
        onConnected: () => undefined,
        onMessage: () => ({
          write: (bytes) => {
            sizeBytes += bytes.length;
          },
          end: () => undefined,
        }),
        onEnd: resolve,
      },
    );
    onTestFinished(() => opened.cancel());
    opened.write(Buffer.from('hello'));
  });
  return { status, sizeBytes };
}

const empty = Buffer.alloc(0);
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(bytes));
const { endHeaders, endStream } = frameFlags;
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
const responseBlock = Buffer.concat([Buffer.of(0x88), literal('content-type', 'application/grpc')]);
const headers = frame(frameTypes.headers, endHeaders, 1, responseBlock);
const openHeaders = frame(frameTypes.headers, 0, 1, responseBlock);
const trailers = frame(frameTypes.headers, endHeaders | endStream, 1, literal('grpc-status', '0'));
const ping = frame(frameTypes.ping, 0, 0, Buffer.from('12345678'));

/** One octet for each "accept-encoding: gzip, deflate" of the static table: 1 MB when it is decoded. */
const expandingBlock = Buffer.concat([responseBlock, Buffer.alloc(16_000, 0x80 | 16)]);
const manyContinuations = Buffer.concat([
  openHeaders,
  ...Array<Buffer>(20).fill(frame(frameTypes.continuation, 0, 1, literal('a', 'b'.repeat(120)))),
]);

test.each([
  ['a header list of 1 MB in 16 kB', frame(frameTypes.headers, endHeaders, 1, expandingBlock)],
  ['many CONTINUATION frames', manyContinuations],
  ['empty CONTINUATION frames', Buffer.concat([openHeaders, times(100_000, frame(9, 0, 1, empty))])],
  ['SETTINGS frames', times(100_000, frame(frameTypes.settings, 0, 0, empty))],
  ['PING frames', times(100_000, ping)],
  ['resets of a stream that was never opened', times(100_000, frame(frameTypes.rstStream, 0, 9, uint32(8)))],
  ['empty DATA frames', Buffer.concat([headers, times(100_000, frame(frameTypes.data, 0, 1, empty))])],
  ['a window of more than 2^31 - 1 octets', frame(frameTypes.windowUpdate, 0, 0, uint32(2 ** 31 - 1))],
])('a call fails when its server sends %s', async (_what, flood) => {
  const { status } = await call(await listen(flood));
  expect(status.code, status.details).not.toBe(0);
});

const message = Buffer.concat([Buffer.of(0), uint32(1_000), Buffer.alloc(1_000)]);
const data = frame(frameTypes.data, 0, 1, message);
test.each([
  ['WINDOW_UPDATE', frame(frameTypes.windowUpdate, 0, 0, uint32(1)), 100_000],
  ['unknown', frame(99, 0, 0, empty), 100_000],
  ['DATA and PING', Buffer.concat([data, ping]), 5_000],
])('a call is answered after many %s frames', async (what, flood, count) => {
  const { status, sizeBytes } = await call(
    await listen(Buffer.concat([headers, times(count, flood), data, trailers])),
  );
  expect(status).toMatchObject({ code: 0 });
  expect(sizeBytes).toBe(what === 'DATA and PING' ? 5_001_000 : 1_000);
});
