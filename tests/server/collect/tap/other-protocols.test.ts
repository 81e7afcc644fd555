import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startRelay } from '@/tests/support/relay-story';
import { waitUntil } from '@/tests/support/wait-until';

async function relayTo(server: ReturnType<typeof createTcpServer>) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const relay = await startRelay(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => relay.listener.close());
  return relay;
}

test('REST-JSON over HTTP/1.1 is relayed, several requests on one connection', async () => {
  const server = createServer((asked, response) => {
    asked.setEncoding('utf8');
    let body = '';
    asked.on('data', (part: string) => {
      body += part;
    });
    asked.on('end', () => response.end(`${asked.method} ${asked.url} ${body}`));
  });
  const { address, news } = await relayTo(server);
  const [host, port] = address.split(':');
  const poll = (body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ host, port, method: 'POST', path: '/v3/discovery:clusters' }, (response) => {
        let text = '';
        response.on('data', (part) => {
          text += String(part);
        });
        response.on('end', () => resolve(text));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  const large = 'x'.repeat(5_000_000);
  for (const body of ['{"version_info":"1"}', large]) {
    expect(await poll(body)).toBe(`POST /v3/discovery:clusters ${body}`);
  }
  await waitUntil(
    'the bytes are counted',
    () => news().bytesDown > large.length && news().bytesUp > large.length,
  );
});

test('a connection of another protocol is relayed, and its end on either side ends the other', async () => {
  const ended: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('close', () => ended.push('server'));
    socket.on('data', (bytes) => {
      if (String(bytes) === 'QUIT\n') socket.end('bye');
      else socket.write(bytes);
    });
  });
  const { address, news } = await relayTo(server);
  const [host, port] = address.split(':');
  const open = async (first: string): Promise<ReturnType<typeof connect>> => {
    const client = connect({ host, port: Number(port) });
    client.write(first);
    return client;
  };
  const talking = await open('PROPFIND');
  expect(String((await once(talking, 'data'))[0])).toBe('PROPFIND');
  await waitUntil('the connection is counted', () => news().connections === 1);
  talking.destroy();
  await waitUntil('the server is disconnected', () => ended.length === 1);
  const quitting = await open('QUIT\n');
  expect(String((await once(quitting, 'data'))[0])).toBe('bye');
  await once(quitting, 'close');
  await waitUntil('no connection is counted', () => news().connections === 0);
});

test('a client of HTTP/1.1 is reset while its server is unavailable, with the reason', async () => {
  const server = createTcpServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const { address, listener, news } = await startRelay(`127.0.0.1:${port}`);
  onTestFinished(() => listener.close());
  const [host, tapPort] = address.split(':');
  const client = connect({ host, port: Number(tapPort) });
  client.write('GET / HTTP/1.1\r\n\r\n');
  const [error] = await once(client, 'error').catch((cause: unknown) => [cause]);
  expect(String(error)).toContain('ECONNRESET');
  await waitUntil('the reason is reported', () => news().upstreamProblem?.code === 'CONNECTION_REFUSED');
});
