import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Http2GrpcServer } from '@/server/transport/grpc/http2-grpc-server';
import type { ServedCall } from '@/server/transport/grpc/stream-call';
import { grpcFrame } from '../../../support/builders/grpc-frame';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { until } from '../../../support/xds-probe-story';

const path = '/echo.Echo/Echo';
const identity = (bytes: Buffer): Buffer => bytes;

describe('Http2GrpcServer', () => {
  const clock = new ManualClock();
  let server: Http2GrpcServer;
  let port: number;
  let calls: ServedCall[];
  let events: string[];
  const closers: (() => void)[] = [];

  beforeEach(async () => {
    calls = [];
    events = [];
    server = new Http2GrpcServer({
      methods: new Map([[path, echo]]),
      maxMessageBytes: 100_000,
      clock,
      onError: (error) => events.push(error.message),
    });
    port = await server.listen({ host: '127.0.0.1', port: 0 });
  });

  afterEach(() => {
    for (const close of closers.splice(0)) close();
    server.close();
  });

  function echo(call: ServedCall) {
    calls.push(call);
    return {
      onMessage: (bytes: Uint8Array) => {
        events.push(Buffer.from(bytes).toString().slice(0, 20));
        call.send(bytes);
        return undefined;
      },
      onEnd: () => call.end(status.OK, ''),
      onCancelled: () => void events.push('cancelled'),
    };
  }

  function dial(): Client {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    closers.push(() => client.close());
    return client;
  }

  function stream(client: Client, method = path) {
    const call = client.makeBidiStreamRequest(method, identity, identity);
    const answers: string[] = [];
    call.on('data', (bytes: Buffer) => answers.push(bytes.toString()));
    call.on('error', () => {});
    const ended = new Promise<string>((resolve) =>
      call.on('status', ({ code, details }) => resolve(`${status[code]}: ${details}`)),
    );
    return { call, answers, ended };
  }

  function http2(): ClientHttp2Session {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    closers.push(() => session.destroy());
    return session;
  }

  it('serves several calls of one connection, in turn and at the same time', async () => {
    const client = dial();
    const [one, two] = [stream(client), stream(client)];
    one.call.write(Buffer.from('a'));
    two.call.write(Buffer.from('b'.repeat(90_000)));
    two.call.write(Buffer.alloc(0));
    await until(() => expect(two.answers.map(({ length }) => length)).toEqual([90_000, 0]));
    one.call.end();
    expect(await one.ended).toBe('OK: ');
    expect(one.answers).toEqual(['a']);
    // The HPACK encoding of these calls refers to the headers of the calls before.
    for (let more = 0; more < 5; more++) {
      const next = stream(client);
      next.call.end(Buffer.from('c'));
      expect(await next.ended).toBe('OK: ');
    }
    expect(calls[0]?.host).toBe(`127.0.0.1:${port}`);
    expect(calls[0]?.peer).toMatch(/^127[.]0[.]0[.]1:\d+$/);
  });

  it('ends a call with any status message, before and after its first message', async () => {
    const client = dial();
    const early = stream(client);
    await until(() => expect(calls).toHaveLength(1));
    calls[0]?.end(status.ABORTED, 'no: 100 % “wrong”\n');
    expect(await early.ended).toBe('ABORTED: no: 100 % “wrong”\n');
    const late = stream(client);
    late.call.write(Buffer.from('x'));
    await until(() => expect(late.answers).toEqual(['x']));
    calls[1]?.end(status.UNAVAILABLE, 'paused');
    expect(await late.ended).toBe('UNAVAILABLE: paused');
  });

  it('ends a call of an unknown method with UNIMPLEMENTED', async () => {
    expect(await stream(dial(), '/echo.Echo/Other').ended).toBe(
      'UNIMPLEMENTED: The server does not implement the method /echo.Echo/Other',
    );
  });

  it('rejects a message above the limit, and one with an unknown compression', async () => {
    const client = dial();
    const large = stream(client);
    large.call.write(Buffer.alloc(100_001));
    expect(await large.ended).toMatch(/^RESOURCE_EXHAUSTED: Received message larger than max/);
    const request = http2().request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    const trailers = once(request, 'response');
    request.write(grpcFrame('?', true));
    const [headers] = await trailers;
    expect(headers).toMatchObject({ 'grpc-status': String(status.UNIMPLEMENTED) });
    expect(events).toEqual(['cancelled', 'cancelled']);
  });

  it('decompresses messages in the order of their arrival', async () => {
    const request = http2().request({
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' },
    });
    const ended = once(request.resume(), 'end');
    request.write(
      Buffer.concat([grpcFrame(gzipSync('one'), true), grpcFrame('two'), grpcFrame(gzipSync('three'), true)]),
    );
    request.end();
    await until(() => expect(events).toEqual(['one', 'two', 'three']));
    await ended;
  });

  it('cancels the calls of a closed connection', async () => {
    const session = http2();
    session
      .request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
      .on('error', () => {});
    await until(() => expect(calls).toHaveLength(1));
    session.destroy();
    await until(() => expect(events).toEqual(['cancelled']));
  });

  it('answers other HTTP/2 requests with 415, and closes connections of other protocols', async () => {
    const request = http2().request({ ':path': '/' });
    const [headers] = await once(request, 'response');
    expect(headers[':status']).toBe(constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE);
    const socket = connectTcp(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket.resume(), 'close');
  });

  it('sends a PING to a silent client, and closes the connection without an answer', async () => {
    const living = http2();
    let pings = 0;
    living.on('ping', () => {
      pings += 1;
    });
    await once(living, 'connect');
    const dead = connectTcp(port, '127.0.0.1');
    closers.push(() => dead.destroy());
    await once(dead.resume(), 'connect');
    dead.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const request = living.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    request.on('error', () => {});
    await until(() => expect(calls).toHaveLength(1));
    const closed = once(dead, 'close');
    clock.advance(5_000);
    clock.advance(5_000);
    await until(() => expect(pings).toBe(1));
    // The answer to the PING arrives before this message.
    request.write(grpcFrame('still here'));
    await until(() => expect(events).toContain('still here'));
    clock.advance(5_000);
    await closed;
    expect(living.destroyed).toBe(false);
  });
});
