import { createServer, type IncomingHttpHeaders, request, type Server, type ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressAnswer } from '@/server/http/compress-answer';

const text = 'shop '.repeat(1_000);
const json = { 'content-type': 'application/json' };
const kinds: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/json': (response) => response.writeHead(203, { ...json, etag: 'W/"1"' }).end(text),
  '/as-next-does': (response) => {
    response.appendHeader('vary', 'rsc');
    response.appendHeader('content-type', 'application/json');
    response.write(new TextEncoder().encode(text));
    response.end();
  },
  '/short': (response) => response.setHeader('content-type', 'application/json').end('{}'),
  '/problem': (response) => response.writeHead(400, { 'content-type': 'application/problem+json' }).end(text),
  '/recording': (response) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(text),
  '/fixed': (response) => response.writeHead(200, { ...json, 'cache-control': 'no-transform' }).end(text),
  '/events': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('data: 1\n\n');
  },
};

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((incoming, response) => {
    compressAnswer(incoming, response);
    kinds[incoming.url ?? '']?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Resolves to the answer or, if it does not end, to its first part. */
function get(path: string, accepted?: string): Promise<Answer> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      const finish = () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        if (path !== '/events') return;
        finish();
        sent.destroy();
      });
      response.on('end', finish);
    });
    sent.on('error', reject).end();
  });
}

describe('an answer', () => {
  it('comes in the coding that the request prefers, with its status and its headers', async () => {
    const [br, packed, plain] = await Promise.all([
      get('/json', 'gzip, br'),
      get('/json', 'gzip'),
      get('/json'),
    ]);
    expect(brotliDecompressSync(br.body).toString()).toBe(text);
    expect(gunzipSync(packed.body).toString()).toBe(text);
    expect(plain.body.toString()).toBe(text);
    expect([br, packed, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    for (const { status, headers } of [br, packed, plain]) {
      expect(status).toBe(203);
      expect(headers).toMatchObject({ ...json, vary: 'Accept-Encoding', etag: 'W/"1"' });
    }
  });

  it('is also compressed if its headers are lists and its length is not known', async () => {
    const { headers, body } = await get('/as-next-does', 'br');
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'rsc, Accept-Encoding' });
    expect(brotliDecompressSync(body).toString()).toBe(text);
  });

  it('is also compressed if it is a problem', async () => {
    expect((await get('/problem', 'gzip')).headers['content-encoding']).toBe('gzip');
  });

  it.each(['/short', '/recording', '/fixed', '/events'])('comes as it is: %s', async (path) => {
    const { headers, body } = await get(path, 'gzip, br');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.length).toBeGreaterThan(0);
  });
});
