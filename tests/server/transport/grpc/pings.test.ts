import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { CallStatus } from '@/server/transport/grpc/call-status';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import { describeError } from '@/server/transport/grpc/explain-error';
import { GrpcCall } from '@/server/transport/grpc/grpc-call';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { targetOfPort } from '@/tests/support/grpc-peers';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

const maxPings = 2;

/** A server that permits no pings, such as one of grpc-go with default settings: the third ends the connection. */
async function startStrictServer(): Promise<number> {
  const server = createServer();
  server.on('session', (session) => {
    let pings = 0;
    session.on('error', () => undefined);
    session.on('ping', () => {
      pings += 1;
      if (pings <= maxPings) return;
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 1, Buffer.from('too_many_pings'));
      session.close();
    });
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('GOAWAY "too_many_pings" is reported, and doubles the time between two pings', async () => {
  const target = targetOfPort(await startStrictServer());
  const security = openChannelSecurity(noSecurity, new ManualClock());
  const connection = new Http2Connection(target, security, { keepaliveMs: 20 });
  onTestFinished(() => connection.close());
  const end = (): Promise<CallStatus> =>
    new Promise((onEnd) => {
      const handler = {
        ...{ onConnected: () => undefined, onEnd },
        onMessage: () => ({ write: () => undefined, end: () => undefined }),
      };
      new GrpcCall({ connection, security, path: '/test.Echo/Say', maxMessageBytes: 1_000 }, handler);
    });
  for (const [sent, next] of [
    ['20 ms', '40 ms'],
    ['40 ms', '80 ms'],
  ]) {
    const problem = describeError(await end(), { target, service: 'ADS', deadlineMs: 1_000 });
    expect(problem.code).toBe('TOO_MANY_PINGS');
    expect(problem.message).toContain(
      `pings were sent every ${sent}; the next connection sends them every ${next}`,
    );
  }
});
