import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../support/e2e-browser';
import { type RunningServer, startServer, tokenFlag, tokenHeaders } from '../support/e2e-server';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-token-'));
const start = (name: string, flags: readonly string[] = [], under: readonly string[] = []) =>
  startServer(['--no-lab', '--data-dir', path.join(folder, name), ...flags], under);
let one: RunningServer;
let other: RunningServer;

beforeAll(async () => {
  [one, other] = await Promise.all([start('one', [tokenFlag]), start('other', [tokenFlag])]);
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function browse<T>(use: (context: BrowserContext) => Promise<T>): Promise<T> {
  const context = await openContext({});
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

const html = { accept: 'text/html' };

describe('a request without the token', () => {
  const wrong = 'w'.repeat(32);
  const requests: [string, string, RequestInit?][] = [
    ['a page', '/clients'],
    ['a page with another token in its URL', `/clients?token=${wrong}`],
    ['the API', '/api/v1/clients'],
    ['the API with a token in its URL', `/api/v1/clients?token=${wrong}`],
    [
      'the API with another Bearer token',
      '/api/v1/clients',
      { headers: { authorization: `Bearer ${wrong}` } },
    ],
    ['an operation that does not exist', '/api/v1/nothing'],
    ['metrics', '/metrics'],
    ['a stream', '/api/v1/stream?topics=fleet'],
    ['an export', '/api/v1/export'],
    ['a write', '/api/v1/sources', { method: 'POST', body: '{}' }],
    [
      'an upload',
      '/api/v1/imports?name=a.json',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    ],
    ['data of Next', '/clients?_rsc=1', { headers: { rsc: '1' } }],
  ];

  it.each(requests)('is answered 401 with the way to authenticate: %s', async (_what, target, init) => {
    const response = await fetch(one.url + target, { redirect: 'manual', ...init });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="xdscope"');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 401, title: 'Token required' });
  });

  it('is answered with a page that explains where the token is, and keeps the query', async () => {
    const response = await fetch(`${one.url}/clients?q=%22%3E%3Cscript%3E&token=${wrong}`, { headers: html });
    expect(response.status).toBe(401);
    const text = await response.text();
    expect(text).toContain('got another token in the URL');
    expect(text).toContain('XDSCOPE_TOKEN');
    expect(text).toContain('name="q" value="&#34;&#62;&#60;script&#62;"');
    expect(text).not.toContain(wrong);
  });

  it.each(['/theme.js', '/healthz', '/readyz'])('receives %s, which contains no data', async (target) => {
    expect((await fetch(one.url + target)).status).toBe(200);
  });
});

describe('a program', () => {
  it.each(['/api/v1/health', '/metrics', '/clients'])('reads %s with a Bearer token', async (target) => {
    expect((await fetch(one.url + target, { headers: tokenHeaders(one.url) })).status).toBe(200);
  });

  it('opens a stream and uploads a file with it', async () => {
    const headers = tokenHeaders(one.url);
    const stream = await fetch(`${one.url}/api/v1/stream?topics=fleet`, { headers });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    await stream.body?.cancel();
    const upload = await fetch(`${one.url}/api/v1/imports?name=a.json`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        configs: [{ '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump' }],
      }),
    });
    expect(upload.status).not.toBe(401);
  });
});

describe('a browser', () => {
  it('opens the printed URL, gets a cookie, and keeps the token out of the URL', async () => {
    await browse(async (context) => {
      const page = await context.newPage();
      const { searchParams } = new URL(one.printedUrl);
      await page.goto(`${one.url}/clients?view=names&token=${searchParams.get('token')}`);
      expect(page.url()).toBe(`${one.url}/clients?view=names`);
      // The stream of the SharedWorker is open.
      await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({
        ...{ name: `xdscope-token-${new URL(one.url).port}`, httpOnly: true, sameSite: 'Lax', path: '/' },
      });
      await page.goto(`${one.url}/history`);
      await page.getByRole('heading', { name: 'History' }).first().waitFor();
    });
  });

  it('keeps the cookies of two servers on one host', async () => {
    await browse(async (context) => {
      const page = await context.newPage();
      for (const { printedUrl } of [one, other]) await page.goto(printedUrl);
      for (const { url } of [one, other]) expect((await page.goto(`${url}/about`))?.status()).toBe(200);
      expect(await context.cookies()).toHaveLength(2);
    });
  });

  it('opens a page by a link of another site', async () => {
    await browse(async (context) => {
      const page = await context.newPage();
      await page.goto(one.printedUrl);
      const body = `<a href="${one.url}/about">link</a>`;
      const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(body));
      await once(site.listen(0, '127.0.0.1'), 'listening');
      // A name and an address are two sites.
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
      await page.getByText('link').click();
      await page.waitForURL(`${one.url}/about`);
      await page.getByRole('heading', { name: 'About' }).first().waitFor();
      site.close();
    });
  });

  it('enters the token in the page that it gets without', async () => {
    await browse(async (context) => {
      const page = await context.newPage();
      expect((await page.goto(`${one.url}/history?kind=nack-sent`))?.status()).toBe(401);
      await page.getByLabel('Token').fill(new URL(one.printedUrl).searchParams.get('token') ?? '');
      await page.getByRole('button', { name: 'Open' }).click();
      await page.waitForURL(`${one.url}/history?kind=nack-sent`);
      await page.getByRole('heading', { name: 'History' }).first().waitFor();
    });
  });
});

describe('the token', () => {
  it('is not printed again, and does not reach an export', async () => {
    const token = new URL(one.printedUrl).searchParams.get('token') ?? '';
    await fetch(`${one.url}/clients?token=${token}`);
    await fetch(`${one.url}/api/v1/clients?token=${token}`);
    const file = await fetch(`${one.url}/api/v1/export`, { headers: tokenHeaders(one.url) });
    expect(Buffer.from(await file.arrayBuffer()).includes(token)).toBe(false);
    expect(one.output().split(token)).toHaveLength(2);
  });

  it('never leads to another host', async () => {
    const token = new URL(one.printedUrl).searchParams.get('token') ?? '';
    const location = await new Promise<string | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(one.url);
      // fetch() would normalize the path.
      const sent = httpRequest({ hostname, port, path: `//evil.example/\\x?token=${token}` }, (response) => {
        response.resume();
        resolve(response.headers.location);
      });
      sent.on('error', reject).end();
    });
    expect(location).toBe('/evil.example//x');
  });

  it('remains after a restart over the same data, in a file of its owner', async () => {
    const before = await start('kept', [tokenFlag]);
    const file = path.join(folder, 'kept', 'access-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(before.printedUrl).toBe(`${before.url}/?token=${token}`);
    await before.stop();
    const after = await start('kept', [tokenFlag]);
    expect(new URL(after.printedUrl).searchParams.get('token')).toBe(token);
    await after.stop();
    writeFileSync(file, 'short\n');
    await expect(start('kept', [tokenFlag])).rejects.toThrow(
      /access-token: expected a token of 16 .* got 5 characters/,
    );
  });

  it('is that of XDSCOPE_TOKEN, which is not stored', async () => {
    const token = 'chosen-by-the-operator';
    const server = await start('chosen', [tokenFlag], ['env', `XDSCOPE_TOKEN=${token}`]);
    expect(server.printedUrl).toBe(`${server.url}/?token=${token}`);
    expect((await fetch(`${server.url}/metrics`, { headers: tokenHeaders(server.url) })).status).toBe(200);
    expect(() => statSync(path.join(folder, 'chosen', 'access-token'))).toThrow('ENOENT');
    await server.stop();
  });

  it('is not required with --no-token', async () => {
    const server = await start('open');
    expect(server.printedUrl).toBe(server.url);
    for (const target of ['/', '/metrics', '/api/v1/clients'])
      expect((await fetch(server.url + target)).status).toBe(200);
    await server.stop();
  });
});
