import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CallStatus } from '@/server/transport/grpc/call-status';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import { GrpcCall } from '@/server/transport/grpc/grpc-call';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { grpcFrame as frame } from '@/tests/support/builders/grpc-frame';
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
  /** The events of the call in order: messages, "connected" and the status. */
  readonly events: string[];
  readonly ended: Promise<CallStatus>;
  /** Ends the handling of the oldest message. */
  finishMessage(): void;
}

function open(): Caller {
  const events: string[] = [];
  const working: (() => void)[] = [];
  let call: GrpcCall | undefined;
  const ended = new Promise<CallStatus>((resolve) => {
    call = new GrpcCall(
      { connection, security, path: '/a.Service/Method', maxMessageBytes: 100 },
      {
        onConnected: () => events.push('connected'),
        onMessage: () => {
          let text = '';
          return {
            write: (bytes) => {
              text += bytes.toString();
            },
            end: () => {
              events.push(text);
              return new Promise((done) => working.push(done));
            },
          };
        },
        onEnd: (end) => {
          events.push(status[end.code] ?? '');
          resolve(end);
        },
      },
    );
  });
  if (call === undefined) throw new Error('expected a call');
  return { call, events, ended, finishMessage: () => working.shift()?.() };
}

async function stream(index = 0): Promise<ServerHttp2Stream> {
  await until(() => expect(streams.length).toBeGreaterThan(index));
  const found = streams[index];
  if (found === undefined) throw new Error('expected a stream');
  return found;
}

const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc' };

describe('GrpcCall', () => {
  test('sends what was written before the connection was ready', async () => {
    const { call, events } = open();
    call.write(Buffer.from('early'));
    const received = await stream();
    const [bytes] = (await once(received, 'data')) as [Buffer];
    expect(bytes).toEqual(frame('early'));
    expect(events).toEqual(['connected']);
  });

  test('passes on the next message and the end once a message has been handled', async () => {
    const { events, ended, finishMessage } = open();
    const sent = await stream();
    sent.respond(grpcHeaders, { waitForTrailers: true });
    sent.on('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '10', 'grpc-message': 'a%2Fb%25' }));
    sent.end(Buffer.concat([frame('one'), frame('two')]));
    await until(() => expect(events).toEqual(['connected', 'one']));
    finishMessage();
    await until(() => expect(events).toEqual(['connected', 'one', 'two']));
    finishMessage();
    expect(await ended).toEqual({ code: status.ABORTED, details: 'a/b%' });
    expect(events).toEqual(['connected', 'one', 'two', 'ABORTED']);
  });

  test('sends request metadata, with the content of a file as it is at the call', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-headers-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = path.join(dir, 'token');
    const callCredentials = [
      { kind: 'header', name: 'x-plain', value: 'a' },
      { kind: 'header', name: 'x-file', file },
    ] as const;
    const withHeaders = openChannelSecurity({ ...noSecurity, callCredentials }, new ManualClock());
    for (const [content, expected] of [
      ['one\n', { 'x-plain': 'a', 'x-file': 'one' }],
      ['two', { 'x-plain': 'a', 'x-file': 'two' }],
    ] as const) {
      writeFileSync(file, content);
      expect(await withHeaders.readHeaders()).toEqual(expected);
    }
    writeFileSync(file, 'se\ncret');
    await expect(withHeaders.readHeaders()).rejects.toThrow(
      'header "x-file": expected 1 to 16,384 printable ASCII characters, got 7 characters',
    );
    rmSync(file);
    await expect(withHeaders.readHeaders()).rejects.toThrow('expected a readable header file');
  });

  const ends: { title: string; end: (sent: ServerHttp2Stream) => void; expected: CallStatus }[] = [
    {
      title: 'a Trailers-Only response',
      end: (sent) =>
        sent.respond({ ...grpcHeaders, 'grpc-status': '12', 'grpc-message': 'no' }, { endStream: true }),
      expected: { code: status.UNIMPLEMENTED, details: 'no' },
    },
    {
      title: 'an HTTP error with a page',
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
      title: 'an unknown gRPC status',
      end: (sent) => sent.respond({ ...grpcHeaders, 'grpc-status': '77' }, { endStream: true }),
      expected: { code: status.UNKNOWN, details: '' },
    },
    {
      title: 'a connection that breaks',
      end: (sent) => sent.session?.destroy(),
      expected: { code: status.UNAVAILABLE, details: 'Connection dropped' },
    },
    {
      title: 'a GOAWAY frame with an error',
      end: (sent) => sent.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
      expected: { code: status.UNAVAILABLE, details: 'Connection dropped' },
    },
  ];
  test.each(ends)('ends with $title, and the next call opens a connection', async ({ end, expected }) => {
    const { ended } = open();
    end(await stream());
    expect(await ended).toEqual(expected);
    const { events } = open();
    await stream(1);
    await until(() => expect(events).toEqual(['connected']));
  });

  test('keeps its stream after a GOAWAY frame without an error, and opens the next stream on another connection', async () => {
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

  test('reports its cancellation once, and resets the stream', async () => {
    const { call, events, ended } = open();
    const sent = await stream();
    const closed = once(sent, 'close');
    call.cancel();
    call.cancel();
    call.write(Buffer.from('late'));
    expect(await ended).toMatchObject({ code: status.CANCELLED });
    await closed;
    expect(sent.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(events).toEqual(['connected', 'CANCELLED']);
  });

  test('ends at a message above the limit without passing on any of it', async () => {
    const { events, ended } = open();
    const sent = await stream();
    sent.respond(grpcHeaders);
    sent.write(Buffer.concat([frame('x'.repeat(101)), frame('next')]));
    expect(await ended).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'Received message larger than max (101 vs 100)',
    });
    expect(events).toEqual(['connected', 'RESOURCE_EXHAUSTED']);
  });
});
