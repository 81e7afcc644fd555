import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAsset, readAssetManifest, serveAsset } from '@/server/http/serve-asset';
import { projectRoot } from '@/server/project-root';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let root: string;
let server: Server;
let port: number;
const script = `const a = ${JSON.stringify('x'.repeat(5_000))};`;

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'xdscope-assets-'));
  mkdirSync(path.join(root, '.next/static/chunks'), { recursive: true });
  mkdirSync(path.join(root, 'public'));
  writeFileSync(path.join(root, '.next/static/chunks/a b.js'), script);
  writeFileSync(path.join(root, 'public/tiny.js'), 'let a;');
  writeFileSync(path.join(root, 'public/gone.js'), `${script}//`);
  writeFileSync(path.join(root, 'public/secret.pem'), 'key');
  const { compressAssets } = await import(path.join(projectRoot, 'server/compress-assets.mjs'));
  await compressAssets(root, '.next');
  rmSync(path.join(root, 'public/gone.js'));
  const assets = readAssetManifest(root);
  server = createServer((incoming, response) => {
    const asset = findAsset(incoming, assets);
    if (asset === undefined) response.writeHead(404).end();
    else void serveAsset(incoming, response, asset, root);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

function send(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: url, headers, method, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    sent.on('error', reject).end();
  });
}

const chunk = '/_next/static/chunks/a%20b.js';

describe('a file of the build', () => {
  it('is sent with brotli, with gzip or as it is, each with a tag of its own', async () => {
    const [br, gzip, plain] = await Promise.all([
      send(chunk, { 'accept-encoding': 'gzip, br' }),
      send(chunk, { 'accept-encoding': 'gzip' }),
      send(chunk),
    ]);
    expect(brotliDecompressSync(br.body).toString()).toBe(script);
    expect(gunzipSync(gzip.body).toString()).toBe(script);
    expect(plain.body.toString()).toBe(script);
    expect([br, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    expect(br.body.length).toBeLessThan(200);
    for (const { headers, body } of [br, gzip, plain]) {
      expect(headers).toMatchObject({
        vary: 'accept-encoding',
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(body.length),
        'cache-control': 'public, max-age=31536000, immutable',
      });
    }
    expect(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it('is not sent again to a browser that has it in the coding that it prefers', async () => {
    const first = await send(chunk, { 'accept-encoding': 'br' });
    const tag = first.headers.etag ?? '';
    const again = await send(chunk, { 'accept-encoding': 'br', 'if-none-match': `"other", W/${tag}` });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(again.headers).toMatchObject({ etag: tag, vary: 'accept-encoding' });
    const plain = await send(chunk, { 'if-none-match': tag });
    expect([plain.status, plain.body.toString()]).toEqual([200, script]);
  });

  it('has the same headers for HEAD, and no body', async () => {
    const { status, headers, body } = await send(chunk, { 'accept-encoding': 'br' }, 'HEAD');
    const sent = await send(chunk, { 'accept-encoding': 'br' });
    expect([status, body.length, headers['content-length']]).toEqual([
      200,
      0,
      sent.headers['content-length'],
    ]);
  });

  it('of less than 1 kB is sent as it is, and asked for again each time', async () => {
    const { headers, body } = await send('/tiny.js', { 'accept-encoding': 'br' });
    expect(body.toString()).toBe(readFileSync(path.join(root, 'public/tiny.js'), 'utf8'));
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=0' });
    expect(headers).not.toHaveProperty('vary');
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('answers an uncached problem if the file is missing', async () => {
    const { status, headers, body } = await send('/gone.js');
    expect([status, headers['content-type']]).toEqual([503, 'application/problem+json']);
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(JSON.parse(body.toString()).detail).toContain('/gone.js');
  });

  it.each([
    ['another method', chunk, 'POST'],
    ['a path that leads out', '/_next/static/../../.build/assets/manifest.json', 'GET'],
    ['an escaped path that leads out', '/%2e%2e/package.json', 'GET'],
    ['a type that no page loads', '/secret.pem', 'GET'],
    ['a malformed escape', '/_next/static/%zz.js', 'GET'],
  ])('is not what is asked for by %s', async (_, url, method) => {
    expect((await send(url, {}, method)).status).toBe(404);
  });
});
