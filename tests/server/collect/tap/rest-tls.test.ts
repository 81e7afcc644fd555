import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { readOfferedProtocols } from '@/server/collect/tap/proxy/first-bytes';
import { startRelay } from '@/tests/support/relay-story';
import { TestAuthority } from '@/tests/support/test-certificates';
import { waitUntil } from '@/tests/support/wait-until';

async function relayOverTls(alpn: readonly string[]) {
  const authority = new TestAuthority();
  const { certificate: cert, key } = authority.issue({ ip: [127, 0, 0, 1] });
  const ca = authority.certificate;
  const dir = mkdtempSync(path.join(tmpdir(), 'rest-tls-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const server = createServer({ cert, key, ALPNProtocols: [...alpn] }, (asked, response) => {
    asked.resume().on('end', () => response.writeHead(304).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const files = {
    kind: 'tls',
    caCertificateFile: null,
    certificateFile: write('cert.pem', cert),
    privateKeyFile: write('key.pem', key),
    refreshIntervalMs: 600_000,
  } as const;
  const { port } = server.address() as AddressInfo;
  const relay = await startRelay(`127.0.0.1:${port}`, {
    listenTls: files,
    upstreamTls: { ...files, caCertificateFile: write('ca.pem', ca) },
  });
  onTestFinished(() => relay.listener.close());
  return { relay, ca };
}

test.each([
  ['http/1.1', ['http/1.1'], ['http/1.1']],
  ['no protocol', ['http/1.1'], undefined],
  ['h2 and http/1.1, and the server http/1.1', ['http/1.1'], ['h2', 'http/1.1']],
])('a client that offers %s over TLS is relayed to its server and recorded', async (_, alpn, offered) => {
  const { relay, ca } = await relayOverTls(alpn);
  const [host = '', port] = relay.address.split(':');
  const body = JSON.stringify({ node: { id: 'edge-1' } });
  const open = (): Promise<TLSSocket | null> =>
    new Promise((resolve) => {
      const alpnOf = offered && { ALPNProtocols: offered };
      const opening = connect({ host, port: Number(port), ca, ...alpnOf }, () => resolve(opening));
      opening.once('error', () => resolve(null));
    });
  let opened: TLSSocket | null = null;
  await waitUntil('the certificate files are read', async () => {
    opened ??= await open();
    return opened !== null;
  });
  const socket = opened as TLSSocket | null;
  if (socket === null) throw new Error('expected a connection, got none');
  expect(socket.alpnProtocol).toBe(offered === undefined ? false : 'http/1.1');
  const sent = request({
    ...{ host, port, method: 'POST', path: '/v3/discovery:clusters', createConnection: () => socket },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  expect(response.statusCode).toBe(304);
  response.resume();
  await waitUntil('the poll is copied', () =>
    relay.batches.flatMap(({ events }) => events).some(({ kind }) => kind === 'poll-answered'),
  );
  socket.destroy();
  await waitUntil('the connection is closed', () => relay.news().connections === 0);
});

test('a ClientHello that is no ClientHello, cut or split offers nothing that can be read', () => {
  const { length } = hello;
  expect(readOfferedProtocols(hello)).toEqual(['h2', 'http/1.1']);
  for (let end = 0; end < length; end++) expect(readOfferedProtocols(hello.subarray(0, end))).toBe('more');
  // Every length in it may be wrong.
  for (let place = 5; place < length; place++) {
    const wrong = Buffer.from(hello);
    wrong[place] = 255;
    const read = readOfferedProtocols(wrong);
    expect(read === undefined || Array.isArray(read)).toBe(true);
  }
  expect(readOfferedProtocols(Buffer.from('GET / HTTP/1.1'))).toBeUndefined();
});

/** Type, version, random, no session, one cipher suite, one compression method, and an extension: ALPN. */
const hello = record([
  ...[3, 3, ...Array.from({ length: 32 }, () => 7), 0, 0, 2, 19, 1, 1, 0],
  ...[0, 18, 0, 16, 0, 14, 0, 12, 2, ...Buffer.from('h2'), 8, ...Buffer.from('http/1.1')],
]);

function record(body: readonly number[]): Buffer {
  return Buffer.from([22, 3, 1, 0, body.length + 4, 1, 0, 0, body.length, ...body]);
}
