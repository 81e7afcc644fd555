import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerProbe, isProbe } from '@/server/http/probes';

let server: Server;
let url: string;
let unready: string | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (isProbe(request)) answerProbe(request, response, unready);
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('GET /healthz is answered 200, whether the process is ready or not', async () => {
  for (const reason of [undefined, 'xdscope is starting']) {
    unready = reason;
    const response = await fetch(`${url}/healthz?verbose`);
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  }
});

it('GET /readyz is answered 503 with the reason until the process is ready, then 200', async () => {
  unready = 'xdscope is starting';
  const before = await fetch(`${url}/readyz`);
  expect(before.status).toBe(503);
  expect(before.headers.get('retry-after')).toBe('1');
  expect(await before.json()).toMatchObject({ title: 'Not ready', detail: 'xdscope is starting' });
  unready = undefined;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`, { method: 'HEAD' })).status).toBe(200);
});

it('other methods are answered 405, and other paths are no probes', async () => {
  const response = await fetch(`${url}/healthz`, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  for (const path of ['/healthz/x', '/readyz2', '/api/v1/healthz'])
    expect(isProbe({ url: path })).toBe(false);
});
