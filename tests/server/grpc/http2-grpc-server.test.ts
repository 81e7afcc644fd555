import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Http2GrpcServer } from '@/server/grpc/http2-grpc-server';
import type { ServedCall } from '@/server/grpc/stream-call';
import { ManualClock } from '../../support/recorder-manual-clock';
import { until } from '../../support/xds-probe-story';

const path = '/echo.Echo/Echo';
const identity = (bytes: Buffer): Buffer => bytes;

/** gRPC: a byte for compression, four for the length. */
function framed(message: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

describe('Http2GrpcServer', () => {
  const clock = new ManualClock();
  let server: Http2GrpcServer;
  let port: number;
  let calls: ServedCall[];
  let heard: string[];
  const closers: (() => void)[] = [];

  beforeEach(async () => {
    calls = [];
    heard = [];
    server = new Http2GrpcServer({
      methods: new Map([[path, take]]),
      maxMessageBytes: 100_000,
      clock,
      onError: (error) => heard.push(error.message),
    });
    port = await server.listen({ host: '127.0.0.1', port: 0 });
  });

  afterEach(() => {
    for (const close of closers.splice(0)) close();
    server.close();
  });

  /** Says again what it hears. */
  function take(call: ServedCall) {
    calls.push(call);
    return {
      onMessage: (bytes: Uint8Array) => {
        heard.push(Buffer.from(bytes).toString().slice(0, 20));
        call.send(bytes);
        return undefined;
      },
      onEnd: () => call.end(status.OK, ''),
      onLost: () => void heard.push('lost'),
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

  it('serves several calls of one connection, one after the other and at once', async () => {
    const client = dial();
    const [one, two] = [stream(client), stream(client)];
    one.call.write(Buffer.from('a'));
    two.call.write(Buffer.from('b'.repeat(90_000)));
    two.call.write(Buffer.alloc(0));
    await until(() => expect(two.answers.map(({ length }) => length)).toEqual([90_000, 0]));
    one.call.end();
    expect(await one.ended).toBe('OK: ');
    expect(one.answers).toEqual(['a']);
    // The client's headers refer to those of the calls before.
    for (let more = 0; more < 5; more++) {
      const next = stream(client);
      next.call.end(Buffer.from('c'));
      expect(await next.ended).toBe('OK: ');
    }
    expect(calls[0]?.host).toBe(`127.0.0.1:${port}`);
    expect(calls[0]?.peer).toMatch(/^127[.]0[.]0[.]1:\d+$/);
  });

  it('ends a call with any text, before its first word and after it', async () => {
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

  it('says of a method that it has none of it', async () => {
    expect(await stream(dial(), '/echo.Echo/Other').ended).toBe(
      'UNIMPLEMENTED: The server does not implement the method /echo.Echo/Other',
    );
  });

  it('rejects a message that is too large, and one that is packed in an unknown way', async () => {
    const client = dial();
    const large = stream(client);
    large.call.write(Buffer.alloc(100_001));
    expect(await large.ended).toMatch(/^RESOURCE_EXHAUSTED: Received message larger than max/);
    const request = http2().request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    const trailers = once(request, 'response');
    request.write(framed(Buffer.from('?'), 1));
    const [headers] = await trailers;
    expect(headers).toMatchObject({ 'grpc-status': String(status.UNIMPLEMENTED) });
    expect(heard).toEqual(['lost', 'lost']);
  });

  it('unpacks messages, in the order in which they came', async () => {
    const request = http2().request({
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' },
    });
    const ended = once(request.resume(), 'end');
    request.write(
      Buffer.concat([framed(gzipSync('one'), 1), framed(Buffer.from('two')), framed(gzipSync('three'), 1)]),
    );
    request.end();
    await until(() => expect(heard).toEqual(['one', 'two', 'three']));
    await ended;
  });

  it('hears of a client whose connection goes', async () => {
    const session = http2();
    session
      .request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
      .on('error', () => {});
    await until(() => expect(calls).toHaveLength(1));
    session.destroy();
    await until(() => expect(heard).toEqual(['lost']));
  });

  it('answers what is no gRPC as HTTP, and hangs up where it is no HTTP/2', async () => {
    const request = http2().request({ ':path': '/' });
    const [headers] = await once(request, 'response');
    expect(headers[':status']).toBe(constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE);
    const socket = connectTcp(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket.resume(), 'close');
  });

  it('asks who is silent whether it is there, and lets go of who does not answer', async () => {
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
    // Its answer has come before the next word that it says.
    request.write(framed(Buffer.from('still here')));
    await until(() => expect(heard).toContain('still here'));
    clock.advance(5_000);
    await closed;
    expect(living.destroyed).toBe(false);
  });
});
