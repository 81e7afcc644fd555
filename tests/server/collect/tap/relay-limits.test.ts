import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http2, { type SecureServerOptions, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CopyEvent } from '@/server/collect/tap/copy-events';
import type { TapListenerOptions } from '@/server/collect/tap/proxy/tap-listener';
import { type ChannelCredentialsConfig, defaultTls } from '@/server/transport/grpc/credentials-config';
import { grpcFrame } from '@/tests/support/builders/grpc-frame';
import { startFreezingProxy } from '@/tests/support/freezing-proxy';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { TestAuthority } from '@/tests/support/test-certificates';
import { waitUntil } from '@/tests/support/wait-until';

const ads = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** The unit is MB. Node's default is smaller than the messages of these tests. */
const maxSessionMemory = 500;

async function serve(
  onStream: (stream: ServerHttp2Stream) => void,
  tls?: SecureServerOptions,
): Promise<string> {
  const server = tls === undefined ? http2.createServer({ maxSessionMemory }) : http2.createSecureServer(tls);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    onStream(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function relayTo(target: string, options: Partial<TapListenerOptions> = {}): Promise<RelayUnderTest> {
  const relay = await startRelay(target, options);
  onTestFinished(() => relay.listener.close());
  return relay;
}

function connect(url: string, options: http2.SecureClientSessionOptions = {}): http2.ClientHttp2Session {
  const session = http2.connect(url, { maxSessionMemory, ...options });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

function post(session: http2.ClientHttp2Session): http2.ClientHttp2Stream {
  const call = session.request({ ':method': 'POST', ':path': ads });
  call.on('error', () => {});
  return call;
}

function echo(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.pipe(stream);
}

async function roundTrip(session: http2.ClientHttp2Session, sent: Buffer): Promise<Buffer> {
  const call = post(session);
  const received: Buffer[] = [];
  call.on('data', (chunk: Buffer) => received.push(chunk));
  call.end(sent);
  await waitUntil('the call is over', () => call.destroyed);
  return Buffer.concat(received);
}

describe('a tap with a slow reader', () => {
  it('buffers at most the window of a stream', async () => {
    let writtenBytes = 0;
    const target = await serve((stream) => {
      stream.respond({ ':status': 200 });
      const chunk = Buffer.alloc(64 * 1024);
      const write = (): void => {
        while (!stream.destroyed && writtenBytes < 256 * 1024 * 1024) {
          writtenBytes += chunk.length;
          if (!stream.write(chunk)) break;
        }
      };
      stream.on('drain', write);
      write();
    });
    const relay = await relayTo(target);
    const call = post(connect(`http://${relay.address}`));
    call.pause();
    let before = -1;
    await waitUntil('nothing moves any more', async () => {
      const isStill = writtenBytes > 0 && writtenBytes === before;
      before = writtenBytes;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return isStill && writtenBytes === before;
    });
    // The window is 1 MiB. Further bytes are in the sockets and with the client.
    expect(relay.news().bytesDown).toBeLessThan(2 * 1024 * 1024);
    expect(writtenBytes).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('a tap with slow recording', () => {
  it('relays everything, and reports one gap of copies', async () => {
    const target = await serve(echo);
    const relay = await relayTo(target);
    relay.queue.disconnect();
    const events: CopyEvent[] = [];
    relay.queue.connect((batch) => events.push(...batch.events));
    const message = Buffer.alloc(16 * 1024 * 1024, 7);
    const sent = Buffer.concat(Array<Buffer>(3).fill(grpcFrame(message)));
    // No batch is acknowledged, so that the queue is full after 32 MiB.
    const received = await roundTrip(connect(`http://${relay.address}`), sent);
    expect(received.length).toBe(sent.length);
    expect(received.equals(sent)).toBe(true);
    expect(relay.queue.heldBytes).toBeLessThan(40 * 1024 * 1024);
    expect(events.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    await waitUntil('it is counted', () => relay.news().droppedMessages > 0);
  });
});

describe('a tap with an unresponsive server', () => {
  it('closes the connection of a client whose PING the server does not answer', async () => {
    const stored = await startFreezingProxy(await serve((stream) => stream.respond({ ':status': 200 })));
    onTestFinished(() => stored.close());
    const relay = await relayTo(stored.target, { pingTimeoutMs: 300 });
    const session = connect(`http://${relay.address}`);
    const call = post(session);
    await new Promise((resolve) => call.once('response', resolve));
    stored.freeze();
    session.ping(() => {});
    await waitUntil('the connection is over', () => session.destroyed);
  });
});

describe('a tap over TLS', () => {
  const authority = new TestAuthority();
  const stranger = new TestAuthority('another authority');

  function files(): { readonly dir: string; write(name: string, content: string): string } {
    const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-tap-tls-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    return {
      dir,
      write: (name, content) => {
        const file = path.join(dir, name);
        writeFileSync(file, content);
        return file;
      },
    };
  }

  it('sends certificates to clients and to the server, and verifies theirs', async () => {
    const issued = authority.issue({ ip: [127, 0, 0, 1] });
    const { certificate: cert, key } = issued;
    const ca = authority.certificate;
    const target = await serve(echo, { cert, key, ca, requestCert: true, rejectUnauthorized: true });
    const { write } = files();
    const tls = {
      kind: 'tls',
      caCertificateFile: write('ca.pem', ca),
      certificateFile: write('cert.pem', cert),
      privateKeyFile: write('key.pem', key),
      refreshIntervalMs: 600_000,
    } as const;
    const relay = await relayTo(target, { listenTls: tls, upstreamTls: tls });
    const sent = Buffer.from('000000000161', 'hex');
    const client = { ca, cert, key };
    await waitUntil('the files are read', async () => {
      const session = http2.connect(`https://${relay.address}`, client);
      session.on('error', () => {});
      const isUp = await new Promise<boolean>((resolve) => {
        session.once('remoteSettings', () => resolve(true));
        session.once('close', () => resolve(false));
      });
      session.destroy();
      return isUp;
    });
    expect(await roundTrip(connect(`https://${relay.address}`, client), sent)).toEqual(sent);
    const nobody = connect(`https://${relay.address}`, { ca });
    await waitUntil('a client without a certificate is disconnected', () => nobody.destroyed);
    const other = stranger.issue({ ip: [127, 0, 0, 1] });
    const wrong = connect(`https://${relay.address}`, { ca, cert: other.certificate, key: other.key });
    await waitUntil('a client of another authority is disconnected', () => wrong.destroyed);
    await waitUntil('that is reported', () => relay.news().notes.some((note) => note.includes('handshake')));
  });

  const trusting = (): ChannelCredentialsConfig => {
    return { ...defaultTls, caCertificateFile: files().write('ca.pem', authority.certificate) };
  };

  it('verifies the configured name of the server', async () => {
    const { certificate: cert, key } = authority.issue({ dns: 'istiod.istio-system.svc' });
    const target = await serve(echo, { cert, key });
    const upstreamTls = { ...trusting(), serverName: 'istiod.istio-system.svc' };
    const relay = await relayTo(target, { upstreamTls });
    const sent = Buffer.from('000000000161', 'hex');
    await waitUntil('the files are read', async () => {
      return (await roundTrip(connect(`http://${relay.address}`), sent)).equals(sent);
    });
  });

  it('reports that the certificate of the server is not trusted', async () => {
    const { certificate: cert, key } = stranger.issue({ ip: [127, 0, 0, 1] });
    const target = await serve(echo, { cert, key });
    const relay = await relayTo(target, { upstreamTls: trusting() });
    await waitUntil('it is reported', async () => {
      const session = http2.connect(`http://${relay.address}`);
      session.on('error', () => {});
      await new Promise((resolve) => session.once('close', resolve));
      return /certificate|authorit/i.test(relay.news().upstreamProblem?.message ?? '');
    });
  });
});
