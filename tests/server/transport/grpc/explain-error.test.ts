import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import {
  type CallFailure,
  describeError,
  explainError,
  plainDetails,
} from '@/server/transport/grpc/explain-error';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import type { Target } from '@/server/transport/targets/target';
import {
  listenHttp1,
  listenHttp2,
  listenRaw,
  listenTls,
  type Peer,
  targetOfPort,
} from '@/tests/support/grpc-peers';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { unaryCall } from '@/tests/support/unary-call';

const path = '/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';
const security = openChannelSecurity(noSecurity, new ManualClock());

async function failedCall(target: Target, deadlineMs: number): Promise<CallFailure> {
  const connection = new Http2Connection(target, security);
  try {
    await unaryCall({ connection, security, path }, Buffer.alloc(0), deadlineMs);
  } catch (error) {
    return error as CallFailure;
  } finally {
    connection.close();
  }
  throw new Error('expected a failure, got an answer');
}

async function explain(target: Target, deadlineMs = 5_000) {
  const problem = await explainError(await failedCall(target, deadlineMs), {
    target,
    service: 'CSDS',
    deadlineMs,
  });
  expect(problem.message).not.toMatch(/Resolution note|No connection established/);
  return problem;
}

async function explainPeer(peer: Peer, deadlineMs?: number) {
  try {
    return await explain(peer.target, deadlineMs);
  } finally {
    await peer.close();
  }
}

describe('explainError()', () => {
  it('explains a port on which nothing listens', async () => {
    const peer = await listenRaw('');
    await peer.close();
    expect(await explain(peer.target)).toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: `${peer.target.text}: connection refused, nothing listens there`,
    });
  });

  it('explains a TLS server', async () => {
    expect(await explainPeer(await listenTls())).toMatchObject({
      code: 'TLS_EXPECTED',
      message: expect.stringContaining('requires TLS'),
    });
  });

  it('explains an HTTP/1 server', async () => {
    expect(await explainPeer(await listenHttp1())).toMatchObject({
      code: 'NOT_HTTP2',
      message: expect.stringContaining('got an HTTP/1 server'),
    });
  });

  it('explains an SSH server', async () => {
    expect(await explainPeer(await listenRaw('SSH-2.0-OpenSSH_9.2\r\n'))).toMatchObject({
      code: 'NOT_HTTP2',
      message: expect.stringContaining('SSH'),
    });
  });

  it('explains a server of another protocol', async () => {
    expect(await explainPeer(await listenRaw('\u0000\u0000\u0000\nmysql 8.0 here'))).toMatchObject({
      code: 'NOT_HTTP2',
      message: expect.stringContaining('\\nmysql'),
    });
  });

  it('explains a server that closes each connection', async () => {
    expect(await explainPeer(await listenRaw('', true))).toMatchObject({ code: 'CONNECTION_CLOSED' });
  });

  it('explains a server that sends nothing', async () => {
    expect(await explainPeer(await listenRaw(''), 300)).toMatchObject({ code: 'SILENT' });
  });

  it('explains an HTTP/2 server that answers 404', async () => {
    expect(await explainPeer(await listenHttp2(404, 'text/plain', 'nope'))).toMatchObject({
      code: 'HTTP_STATUS',
      message: expect.stringContaining('HTTP status 404: nope'),
    });
  });

  it('explains a web page with status 404 without its source', async () => {
    const { message } = await explainPeer(await listenHttp2(404, 'text/html', '<html>nope</html>'));
    expect(message).toMatch(/HTTP status 404: a proxy or a web server answered$/);
  });

  it.each([
    ['missing parts in the service node "xdscope"', 'istio:NAME.NAMESPACE'],
    ['StreamAggregatedResources not implemented', 'delta-ads'],
    ['there is already an active stream from this node', 'one stream for each node id'],
    ['unknown node: "xdscope-probe"', 'nodes that it knows'],
    ['fetch error: missing snapshot for "xdscope-probe"', 'nodes that it knows'],
  ])('advises on %s', (details, hint) => {
    const call = { target: targetOfPort(1), service: 'ADS', deadlineMs: 1_000 };
    for (const code of [status.UNKNOWN, status.INVALID_ARGUMENT, status.UNIMPLEMENTED]) {
      expect(describeError({ code, details }, call).hint).toContain(hint);
    }
  });

  it('explains a login page', async () => {
    const page = `<html><body>${'Please sign in. '.repeat(50)}</body></html>`;
    expect(await explainPeer(await listenHttp2(200, 'text/html', page))).toEqual({
      code: 'NOT_GRPC',
      message: expect.stringContaining('expected a gRPC message, got text with "html" at its beginning'),
      hint: expect.stringContaining('login page'),
    });
  });

  it('explains a gRPC server without the service', async () => {
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    try {
      expect(await explain(targetOfPort(port))).toMatchObject({
        code: 'UNIMPLEMENTED',
        message: `127.0.0.1:${port} is a gRPC server, but has no CSDS service`,
      });
    } finally {
      server.forceShutdown();
    }
  });
});

describe('describeError', () => {
  const target = targetOfPort(5);
  const call = { target, service: 'CSDS', deadlineMs: 10_000 };
  it.each([
    [status.UNAUTHENTICATED, 'no token', 'UNAUTHENTICATED', 'requires authentication: no token'],
    [status.PERMISSION_DENIED, 'not you', 'PERMISSION_DENIED', 'denied the call: not you'],
    [
      status.RESOURCE_EXHAUSTED,
      'Received message larger than max (808722544 vs 4194304)',
      'NOT_GRPC',
      'got text with "04 p" at its beginning',
    ],
    [
      status.RESOURCE_EXHAUSTED,
      'Received message larger than max (157286400 vs 134217728)',
      'TOO_LARGE',
      'a message has 157 MB, more than the 134 MB that are accepted',
    ],
    [
      status.RESOURCE_EXHAUSTED,
      'Received message that decompresses to a size larger than 4194304',
      'TOO_LARGE',
      'decompresses to more than the 4.19 MB that are accepted',
    ],
    [status.RESOURCE_EXHAUSTED, 'quota', 'RESOURCE_EXHAUSTED', 'quota'],
    [status.DEADLINE_EXCEEDED, 'Deadline exceeded after 10s', 'DEADLINE_EXCEEDED', 'within 10 s, got none'],
    [status.UNAVAILABLE, 'Connection dropped', 'CONNECTION_LOST', 'the connection broke'],
    [
      status.UNAVAILABLE,
      'No connection established. Last error: Error: connect EHOSTUNREACH 10.0.0.1:5 - Local. Resolution note: ',
      'UNREACHABLE',
      'EHOSTUNREACH',
    ],
    [
      status.UNAVAILABLE,
      'Name resolution failed for target dns:///127.0.0.1:5',
      'NAME_NOT_FOUND',
      'has no address',
    ],
    [status.INTERNAL, 'boom\n at line 1', 'INTERNAL', 'boom at line 1'],
    [99, '', 'CODE_99', 'without a reason'],
  ])('describes code %i with details %j', (code, details, expectedCode, text) => {
    const problem = describeError({ code, details }, call);
    expect(problem.code).toBe(expectedCode);
    expect(problem.message).toContain(text);
  });
});

describe('plainDetails()', () => {
  it.each([
    [
      'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.1:5. Resolution note: ',
      'Error: connect ECONNREFUSED 10.0.0.1:5',
    ],
    ['the server\n  says no', 'the server says no'],
    ['', ''],
  ])('keeps the cause of %j in one line', (details, plain) => expect(plainDetails(details)).toBe(plain));

  it('limits the length', () => expect(plainDetails('x'.repeat(100_000))).toHaveLength(1_025));
});
