import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '@/server/api-error';
import { lingerAfterAnswer } from '@/server/http/linger-after-answer';
import { type AddImport, isImport, receiveImport } from '@/server/http/receive-import';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

/** Starts a server that receives files in this way. */
async function listen(addImport: AddImport): Promise<string> {
  server = createServer((request, response) => {
    lingerAfterAnswer(request, response);
    void receiveImport(request, response, addImport);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/api/v1/imports?name=a%20b.json`;
}

const large = new Uint8Array(20_000_000).fill(32);
const type = { 'content-type': 'application/octet-stream' };

describe('receiveImport()', () => {
  it('passes on the name, every byte and their number', async () => {
    const reported: unknown[] = [];
    const url = await listen(async (name, chunks, sizeBytes) => {
      let bytes = 0;
      for await (const chunk of chunks) bytes += chunk.byteLength;
      reported.push({ name, bytes, sizeBytes });
      throw new ApiError(409, 'Import canceled', 'enough');
    });
    await fetch(url, { method: 'POST', headers: type, body: large });
    expect(reported).toEqual([{ name: 'a b.json', bytes: large.length, sizeBytes: large.length }]);
  });

  it('answers the error of a file while it is being sent', async () => {
    const url = await listen(async (_, chunks) => {
      for await (const _chunk of chunks) throw new ApiError(413, 'File too large', 'expected less');
      throw new Error('nothing came');
    });
    const response = await fetch(url, { method: 'POST', headers: type, body: large });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ title: 'File too large', detail: 'expected less' });
  });

  it('answers an internal error without its reason', async () => {
    const url = await listen(() => Promise.reject(new Error('/secret/path is full')));
    const response = await fetch(url, { method: 'POST', headers: type, body: '{}' });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
  });

  it.each([
    ['of a type that is not taken', 'text/plain', 415],
    ['of which enough is known', 'application/json', 413],
  ])('is heard before its connection ends, by who sends something %s', async (_, contentType, status) => {
    const url = await listen(() => Promise.reject(new ApiError(413, 'File too large', 'expected less')));
    const { port } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port) }).pause();
    socket.write(
      `POST /api/v1/imports HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${contentType}\r\n`,
    );
    socket.write(`content-length: ${large.length}\r\n\r\n`);
    // The client reads nothing before it has sent everything, as urllib and others do.
    await promisify((sent: () => void) => socket.write(large, sent))();
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} .*"status":${status}`, 's'));
  });

  it.each(['close', 'keep-alive'])(
    'answers before the body of 99 GB has come (connection: %s)',
    async (kind) => {
      const url = await listen(() => Promise.reject(new ApiError(413, 'File too large', 'expected less')));
      const { port } = new URL(url);
      const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
      socket.write(`POST /api/v1/imports HTTP/1.1\r\nhost: x\r\nconnection: ${kind}\r\n`);
      socket.write('content-type: application/json\r\ncontent-length: 99000000000\r\n\r\n');
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 413 .*"status":413/s);
      // Whoever asked for the end of the connection sees it, while its body goes on.
      if (kind === 'close') await once(socket, 'end');
      socket.write(large);
      socket.destroy();
    },
  );

  it('reads an endless body up to a limit, and closes the connection', async () => {
    const url = await listen(() => Promise.reject(new ApiError(413, 'File too large', 'expected less')));
    const { port } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port) }).resume();
    const ended = new Promise<string>((resolve) =>
      socket.on('error', (error) => resolve(error.message)).on('close', () => resolve('closed')),
    );
    socket.write(`POST /api/v1/imports HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`);
    socket.write('content-length: 99000000000\r\n\r\n');
    let sent = 0;
    while (!socket.destroyed && sent < 2_000_000_000) {
      sent += large.length;
      if (!socket.write(large)) await Promise.race([once(socket, 'drain').catch(() => undefined), ended]);
    }
    await ended;
    expect(sent).toBeLessThan(2_000_000_000);
  });

  it('rejects a request that a form of another site can send', async () => {
    const url = await listen(() => Promise.reject(new Error('not to be called')));
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(response.status).toBe(415);
  });
});

describe('isImport()', () => {
  it.each([
    ['POST', '/api/v1/imports?name=x', true],
    ['POST', '/api//v1/imports/', true],
    ['GET', '/api/v1/imports', false],
    ['POST', '/api/v1/imports/7', false],
    ['POST', '/%zz', false],
  ])('%s %s: %s', (method, url, expected) => {
    expect(isImport({ method, url })).toBe(expected);
  });
});

describe('an upload of several files', () => {
  const send = async (...parts: string[]) => {
    const reported: unknown[] = [];
    const url = await listen(async (_name, chunks, _size, _left, facts) => {
      for await (const _chunk of chunks);
      reported.push(facts.parts);
      throw new ApiError(409, 'Import canceled', 'enough');
    });
    const query = new URLSearchParams(parts.map((part) => ['part', part]));
    const response = await fetch(`${url}&${query}`, { method: 'POST', headers: type, body: 'ab' });
    return reported.length > 0 ? reported[0] : ((await response.json()) as { detail: string }).detail;
  };

  it('passes on the names and sizes of the files', async () => {
    expect(await send('config_dump.json:1', 'clusters:1')).toEqual([
      { name: 'config_dump.json', sizeBytes: 1 },
      { name: 'clusters', sizeBytes: 1 },
    ]);
  });

  it.each([
    ['a path', ['../config_dump:1']],
    ['a folder', ['..:1']],
    ['no size', ['config_dump']],
    ['a name that is too long', [`${'n'.repeat(201)}:1`]],
    ['a name twice', ['a:1', 'A:1']],
    ['too many files', Array.from({ length: 21 }, (_, index) => `${index}:1`)],
  ])('rejects %s', async (_title, parts) => {
    expect(await send(...parts)).toMatch(/^part: expected /);
  });
});
