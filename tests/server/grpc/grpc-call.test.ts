import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallStatus } from '@/server/grpc/call-status';
import { noSecurity, openChannelSecurity } from '@/server/grpc/channel-security';
import { GrpcCall } from '@/server/grpc/grpc-call';
import { Http2Connection } from '@/server/grpc/http2-connection';
import { targetOfPort } from '@/tests/support/grpc-peers';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { until } from '@/tests/support/xds-probe-story';

let server: Http2Server;
let sessions: ServerHttp2Session[];
let streams: ServerHttp2Stream[];
let connection: Http2Connection;

const security = openChannelSecurity(noSecurity, new ManualClock());

beforeEach(async () => {
  sessions = [];
  streams = [];
  server = createServer();
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    streams.push(stream);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  connection = new Http2Connection(targetOfPort(port), security);
});

afterEach(() => {
  connection.close();
  for (const session of sessions) session.destroy();
  server.close();
});

interface Caller {
  readonly call: GrpcCall;
  /** What it heard, in order. */
  readonly heard: string[];
  readonly ended: Promise<CallStatus>;
  /** Lets the oldest message that is being worked on be done. */
  finishMessage(): void;
}

function open(): Caller {
  const heard: string[] = [];
  const working: (() => void)[] = [];
  let call: GrpcCall | undefined;
  const ended = new Promise<CallStatus>((resolve) => {
    call = new GrpcCall(
      { connection, security, path: '/a.Service/Method', maxMessageBytes: 100 },
      {
        onConnected: () => heard.push('connected'),
        onMessage: () => {
          let text = '';
          return {
            write: (bytes) => {
              text += bytes.toString();
            },
            end: () => {
              heard.push(text);
              return new Promise((done) => working.push(done));
            },
          };
        },
        onEnd: (end) => {
          heard.push(status[end.code] ?? '');
          resolve(end);
        },
      },
    );
  });
  if (call === undefined) throw new Error('expected a call');
  return { call, heard, ended, finishMessage: () => working.shift()?.() };
}

function frame(text: string): Buffer {
  return Buffer.from(`\0\0\0\0${String.fromCharCode(text.length)}${text}`);
}

async function stream(index = 0): Promise<ServerHttp2Stream> {
  await until(() => expect(streams.length).toBeGreaterThan(index));
  const found = streams[index];
  if (found === undefined) throw new Error('expected a stream');
  return found;
}

const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc' };

describe('GrpcCall', () => {
  test('what is written before there is a connection is sent when there is one', async () => {
    const { call, heard } = open();
    call.write(Buffer.from('early'));
    const received = await stream();
    const [bytes] = (await once(received, 'data')) as [Buffer];
    expect(bytes).toEqual(frame('early'));
    expect(heard).toEqual(['connected']);
  });

  test('the next message, and the end, wait until a message is dealt with', async () => {
    const { heard, ended, finishMessage } = open();
    const sent = await stream();
    sent.respond(grpcHeaders, { waitForTrailers: true });
    sent.on('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '10', 'grpc-message': 'a%2Fb%25' }));
    sent.end(Buffer.concat([frame('one'), frame('two')]));
    await until(() => expect(heard).toEqual(['connected', 'one']));
    finishMessage();
    await until(() => expect(heard).toEqual(['connected', 'one', 'two']));
    finishMessage();
    expect(await ended).toEqual({ code: status.ABORTED, details: 'a/b%' });
    expect(heard).toEqual(['connected', 'one', 'two', 'ABORTED']);
  });

  const ends: { title: string; end: (sent: ServerHttp2Stream) => void; expected: CallStatus }[] = [
    {
      title: 'headers that are all',
      end: (sent) =>
        sent.respond({ ...grpcHeaders, 'grpc-status': '12', 'grpc-message': 'no' }, { endStream: true }),
      expected: { code: status.UNIMPLEMENTED, details: 'no' },
    },
    {
      title: 'an HTTP status, with a page that is no message',
      end: (sent) => {
        sent.respond({ ':status': 503, 'content-type': 'text/html' });
        sent.end('<html>');
      },
      expected: { code: status.UNAVAILABLE, details: 'Received HTTP status code 503' },
    },
    {
      title: 'the end of the stream without a status',
      end: (sent) => {
        sent.respond(grpcHeaders);
        sent.end();
      },
      expected: {
        code: status.INTERNAL,
        details: 'Received RST_STREAM with code 0 (Call ended without gRPC status)',
      },
    },
    {
      title: 'a stream that is rejected',
      end: (sent) => sent.close(constants.NGHTTP2_REFUSED_STREAM),
      expected: { code: status.UNAVAILABLE, details: 'Stream rejected by server' },
    },
    {
      title: 'a status that gRPC does not have',
      end: (sent) => sent.respond({ ...grpcHeaders, 'grpc-status': '77' }, { endStream: true }),
      expected: { code: status.UNKNOWN, details: '' },
    },
    {
      title: 'a connection that breaks',
      end: (sent) => sent.session?.destroy(),
      expected: { code: status.UNAVAILABLE, details: 'Connection dropped' },
    },
    {
      title: 'a server that goes away with an error',
      end: (sent) => sent.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
      expected: { code: status.UNAVAILABLE, details: 'Connection dropped' },
    },
  ];
  for (const { title, end, expected } of ends) {
    test(`ends with ${title}, and the next call has a connection again`, async () => {
      const { ended } = open();
      end(await stream());
      expect(await ended).toEqual(expected);
      const { heard } = open();
      await stream(1);
      await until(() => expect(heard).toEqual(['connected']));
    });
  }

  test('a server that goes away in peace ends its streams itself; new ones are on another connection', async () => {
    const first = open();
    const old = await stream();
    old.session?.goaway(constants.NGHTTP2_NO_ERROR);
    await until(() => {
      open();
      expect(sessions.length).toBeGreaterThan(1);
    });
    old.respond({ ...grpcHeaders, 'grpc-status': '0' }, { endStream: true });
    expect(await first.ended).toEqual({ code: status.OK, details: '' });
  });

  test('a call that is cancelled reports its end once, and the server of it', async () => {
    const { call, heard, ended } = open();
    const sent = await stream();
    const closed = once(sent, 'close');
    call.cancel();
    call.cancel();
    call.write(Buffer.from('late'));
    expect(await ended).toMatchObject({ code: status.CANCELLED });
    await closed;
    expect(sent.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(heard).toEqual(['connected', 'CANCELLED']);
  });

  test('a message above the limit ends the call, and nothing of it is handed on', async () => {
    const { heard, ended } = open();
    const sent = await stream();
    sent.respond(grpcHeaders);
    sent.write(Buffer.concat([frame('x'.repeat(101)), frame('next')]));
    expect(await ended).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'Received message larger than max (101 vs 100)',
    });
    expect(heard).toEqual(['connected', 'RESOURCE_EXHAUSTED']);
  });
});
